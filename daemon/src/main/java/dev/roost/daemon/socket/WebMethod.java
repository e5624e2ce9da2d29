package dev.roost.daemon.socket;

import dev.roost.daemon.calls.Reply;
import dev.roost.daemon.wire.Json;
import dev.roost.house.House;
import dev.roost.run.Refused;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Signs a person's browser in. */
final class WebMethod {

    private final Persons persons;
    private final DaemonFacts daemon;

    WebMethod(House house, DaemonFacts daemon) {
        this.persons = new Persons(
                house,
                new Refused(
                        "a_person_opens_the_page",
                        "Only a person may open the page.",
                        "Ask the user to run `roost web` in a plain shell."));
        this.daemon = daemon;
    }

    Reply web(@Nullable JsonNode given) {
        persons.params(given);
        var address = daemon.http()
                .orElseThrow(() -> new Refused(
                        "http_off",
                        "HTTP is off, so there is no page.",
                        "Take http = \"off\" out of config.toml, and restart the daemon."));
        return new Reply(Json.MAPPER
                .createObjectNode()
                .put("address", address)
                .put(
                        "link",
                        "%s/sign-in?code=%s".formatted(address, daemon.signIn().code())));
    }
}
