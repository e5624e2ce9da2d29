package dev.roost.cli.client;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.daemon.config.SettingCatalog;
import dev.roost.daemon.config.SettingDefinition;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Variables that override settings are passed to a daemon that a command starts. */
class DaemonEnvironmentTest {

    private static final Set<String> DOCUMENTED = SettingCatalog.config().stream()
            .map(SettingDefinition::overruledBy)
            .flatMap(Optional::stream)
            .collect(toCollection(TreeSet::new));

    @Test
    void a_person_passes_every_variable_of_a_setting_to_the_daemon() {
        assertThat(kept(Map.of(), Map.of())).containsExactlyInAnyOrderElementsOf(DOCUMENTED);
    }

    @Test
    void an_agent_cannot_change_permissions_notifications_or_the_ledger_of_the_daemon() {
        assertThat(kept(Map.of("CLAUDECODE", "1"), Map.of()))
                .containsExactlyInAnyOrder(
                        "ROOST_MAX_LIVE",
                        "ROOST_MAX_LIVE_PER_OWNER",
                        "ROOST_MAX_LIVE_CLUSTER",
                        "ROOST_OVER_CAPACITY",
                        "ROOST_MAX_DEPTH",
                        "ROOST_MAX_OUTPUT",
                        "ROOST_MAX_ATTEMPTS",
                        "ROOST_MAX_QUIET",
                        "ROOST_QUIET_AFTER",
                        "ROOST_DEFAULT_AGENT",
                        "ROOST_BUDGET_MAX_COST_USD_PER_OWNER_PER_DAY",
                        "ROOST_BUDGET_MAX_TOKENS_PER_OWNER_PER_DAY");
    }

    @Test
    void a_temporary_home_joins_no_cluster_and_sends_no_notifications() {
        assertThat(kept(Map.of(), Map.of("ROOST_MAX_LIVE_PER_OWNER", "6")))
                .contains("ROOST_MAX_LIVE_PER_OWNER")
                .doesNotContain("ROOST_LEDGER", "ROOST_NOTIFY_WEBHOOK", "ROOST_HTTP");
    }

    private static Set<String> kept(Map<String, String> shell, Map<String, String> settings) {
        var environment = new HashMap<>(shell);
        DOCUMENTED.forEach(name -> environment.put(name, "word"));
        DaemonLauncher.keepSettings(environment, settings);
        return environment.keySet();
    }
}
