/** The drivers claude, codex, gemini, opencode, java and the table of all. */
@NullMarked
package dev.roost.agents.driver;

import org.jspecify.annotations.NullMarked;
