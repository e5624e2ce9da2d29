package dev.roost.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Status;
import dev.roost.testing.AgentScriptFixture;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** A removed output file is rebuilt when its run is read. */
class OutputRebuilderProcessTest extends AgentScriptFixture {

    private String deleteOutput(RunRecord run) throws IOException {
        var file = home.run(run.id()).output();
        await().atMost(SOON).until(() -> Files.readString(file).contains("completed"));
        var before = Files.readString(file);
        Files.delete(file);
        return before;
    }

    @Test
    void the_output_of_an_agent_is_rebuilt_exactly_from_its_transcript() throws IOException {
        var run = awaitEnd(agent(
                "init; tool t1 'make test'; asks q1 'git push'; say thinking; say 'it is done'; result 'it is done'"));
        assertThat(run.status()).isEqualTo(Status.COMPLETED);
        var before = deleteOutput(run);
        Files.delete(home.run(run.id()).attempt(1).out());
        assertThat(result(run)).isEqualTo("it is done");
        assertThat(home.run(run.id()).output()).hasContent(before);
        assertThat(before).contains("make test", "? asks for permission: ", "thinking", "completed");
    }

    @Test
    void the_output_of_a_command_is_rebuilt_from_its_raw_output_or_from_the_ledger() throws IOException {
        var run = awaitEnd(sh("echo one; echo two"));
        var before = deleteOutput(run);
        assertThat(result(run)).contains("one\ntwo");
        assertThat(home.run(run.id()).output()).hasContent(before);

        deleteOutput(run);
        Files.delete(home.run(run.id()).attempt(1).out());
        Files.delete(home.run(run.id()).attempt(1).result());
        assertThat(result(run)).contains("one\ntwo");
        assertThat(home.run(run.id()).output()).content().contains("one\ntwo", "completed");
    }

    @Test
    void a_missing_run_directory_is_not_recreated() throws IOException {
        var run = awaitEnd(sh("echo one"));
        home.run(run.id()).delete();
        assertThat(result(run)).contains("one");
        assertThat(home.run(run.id()).path()).doesNotExist();
    }
}
