package dev.roost.daemon.socket;

import dev.roost.base.Refusal;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.RunJson;
import dev.roost.service.RoostService;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Returns a link that signs a person's browser in. */
final class WebMethod {

    private final PersonCheck personCheck;
    private final DaemonInfo daemon;

    WebMethod(RoostService service, DaemonInfo daemon) {
        this.personCheck = new PersonCheck(
                service,
                new Refusal(
                        "person_required",
                        "Only a person may open the page.",
                        "Ask the user to run `roost web` in a plain shell."));
        this.daemon = daemon;
    }

    ApiReply web(@Nullable JsonNode params) {
        personCheck.params(params);
        var address = daemon.http()
                .orElseThrow(() -> new Refusal(
                        "http_off",
                        "HTTP is off, so there is no page.",
                        "Remove http = \"off\" from config.toml, and restart the daemon."));
        return new ApiReply(RunJson.MAPPER
                .createObjectNode()
                .put("address", address)
                .put(
                        "link",
                        "%s/sign-in?code=%s".formatted(address, daemon.signIn().code())));
    }
}
