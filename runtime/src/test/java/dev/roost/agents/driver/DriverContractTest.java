package dev.roost.agents.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.AgentState;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.Driver;
import dev.roost.agents.FinalReport;
import dev.roost.agents.LaunchCommand;
import dev.roost.agents.Task;
import dev.roost.model.Budget;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Outcome;
import dev.roost.model.Usage;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every driver of an agent promises, whichever program it runs. A new driver is in {@link Drivers}, and so is tested here. */
class DriverContractTest {

    private static final String PROMPT = "repair-the-roof";
    private static final String SESSION = "0f6f4c9e-1f0e-4b1c-9d0a-52f2a7b4c001";
    private static final Exit SUCCESS = new Exit(0, false);

    static Stream<Driver> all() {
        return Drivers.all().stream();
    }

    static Stream<Driver> agents() {
        return all().filter(driver -> !driver.abilities().plainProgram());
    }

    /** Without those whose protocol names the conversation: {@code AcpHandshakeTest}; a Java agent has its step journal. */
    static Stream<Driver> resumable() {
        return agents().filter(driver -> driver.abilities().resume())
                .filter(driver -> !Set.of("acp", "java").contains(driver.name()));
    }

    private static AttemptJob job(Driver driver, Optional<String> session) {
        return new AttemptJob(
                new AgentProfile(
                        driver.name(),
                        driver.name(),
                        List.of("program"),
                        Optional.empty(),
                        List.of("--extra"),
                        AgentProfile.plain(driver.name()).permissions(),
                        Optional.empty(),
                        Map.of("EXTRA", "1")),
                new Task(List.of(), Optional.of(PROMPT)),
                Path.of("/work"),
                Path.of("/run/prompt"),
                Budget.ofOutput(1000),
                session,
                Usage.NONE,
                false);
    }

    private static String input(LaunchCommand launch) {
        return switch (launch.input()) {
            case LaunchCommand.AgentStdin.Empty _ -> "";
            case LaunchCommand.AgentStdin.Text(var text) -> text;
            case LaunchCommand.AgentStdin.Pipe(var first) -> first;
        };
    }

    @ParameterizedTest
    @MethodSource("all")
    void a_driver_is_found_by_its_name_and_says_how_to_install_its_program(Driver driver) {
        assertThat(Drivers.find(driver.name())).containsSame(driver);
        assertThat(driver.howToInstall()).isNotBlank();
    }

    @ParameterizedTest
    @MethodSource("all")
    void no_prompt_is_an_argument_because_every_user_can_read_those(Driver driver) {
        assertThat(driver.launch(job(driver, Optional.empty())).argv()).noneMatch(word -> word.contains(PROMPT));
    }

    @ParameterizedTest
    @MethodSource("agents")
    void the_profile_names_the_program_and_adds_arguments(Driver driver) {
        var argv = driver.launch(job(driver, Optional.empty())).argv();
        assertThat(argv).startsWith("program").contains("--extra");
    }

    @ParameterizedTest
    @MethodSource("resumable")
    void a_driver_that_can_resume_continues_the_conversation_that_it_is_given(Driver driver) {
        var next = driver.launch(job(driver, Optional.of(SESSION)));
        boolean named = Stream.concat(next.argv().stream(), next.environment().values().stream())
                        .anyMatch(word -> word.contains(SESSION))
                || input(next).contains(SESSION);
        assertThat(named).isTrue();
    }

    @ParameterizedTest
    @MethodSource("agents")
    void an_agent_has_a_protocol_and_a_plain_program_has_none(Driver driver) {
        assertThat(driver.dialog(job(driver, Optional.empty()))).isPresent();
        var command = Drivers.of("command");
        assertThat(command.dialog(job(command, Optional.empty()))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("agents")
    void output_that_is_no_message_of_the_protocol_is_never_a_success(Driver driver) {
        var protocol = driver.dialog(job(driver, Optional.empty())).orElseThrow();
        var random = new Random(7);
        var state = AgentState.NOTHING;
        for (int i = 0; i < 500; i++) {
            var line = new StringBuilder(i % 3 == 0 ? "{\"type\":" : i % 3 == 1 ? "{\"result\":{}," : "");
            for (int c = random.nextInt(60); c > 0; c--) line.append((char) (32 + random.nextInt(96)));
            for (var output : protocol.parseLine(line.toString())) state = state.apply(output);
        }
        for (var output : protocol.onExit(SUCCESS)) state = state.apply(output);
        assertThat(state.finalReport().filter(FinalReport.Success.class::isInstance))
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("agents")
    void the_final_report_decides_the_outcome_whatever_the_exit_status(Driver driver) {
        var done = Optional.<FinalReport>of(new FinalReport.Success("done"));
        var limited = Optional.<FinalReport>of(new FinalReport.Failure(Cause.RATE_LIMITED, "slow down"));
        for (var exit : List.of(SUCCESS, new Exit(1, false), new Exit(137, true))) {
            assertThat(driver.outcomeOf(exit, done, true)).isEqualTo(new Outcome.Completed());
            assertThat(driver.outcomeOf(exit, done, false)).isEqualTo(new Outcome.CompletedEmpty());
            assertThat(driver.outcomeOf(exit, limited, true)).isEqualTo(new Outcome.Failed(Cause.RATE_LIMITED));
        }
    }

    @ParameterizedTest
    @MethodSource("agents")
    void an_agent_without_a_final_report_never_completes(Driver driver) {
        var none = Optional.<FinalReport>empty();
        assertThat(driver.outcomeOf(SUCCESS, none, true)).isEqualTo(new Outcome.Failed(Cause.CUT_SHORT));
        assertThat(driver.outcomeOf(new Exit(3, false), none, true)).isEqualTo(new Outcome.Failed(Cause.EXIT_CODE));
        assertThat(driver.outcomeOf(new Exit(137, true), none, true)).isEqualTo(new Outcome.Failed(Cause.SIGNAL));
    }
}
