/** The drivers claude, codex, gemini, opencode and java, and the table of all drivers. */
@NullMarked
package dev.roost.agents.driver;

import org.jspecify.annotations.NullMarked;
