/** LangChain4j on top of Roost: an orchestrator in this program, its workers as background runs. */
@NullMarked
package dev.roost.examples.langchain4j;

import org.jspecify.annotations.NullMarked;
