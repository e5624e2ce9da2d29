package dev.roost.conformance.agents;

import java.io.IOException;
import java.util.List;

/**
 * Installs all CLIs before the tests, so that an unreachable registry fails once and not in every test. {@code ./check} runs it
 * from source, so it uses only Java.
 */
final class AgentCliSetup {

    /** npm retries requests itself; this is for damaged packages. */
    private static final int ATTEMPTS = 2;

    private AgentCliSetup() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        for (var cli : List.of(
                AgentCliCatalog.CLAUDE,
                AgentCliCatalog.CODEX,
                AgentCliCatalog.OPENCODE,
                AgentCliCatalog.GEMINI,
                AgentCliCatalog.CODEX_ACP,
                AgentCliCatalog.CLAUDE_ACP)) {
            for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
                try {
                    System.out.println(String.join(" ", AgentCliCatalog.command(cli)));
                    break;
                } catch (IllegalStateException e) {
                    if (attempt < ATTEMPTS) continue;
                    System.out.println(e.getMessage());
                    System.exit(1);
                }
            }
        }
    }
}
