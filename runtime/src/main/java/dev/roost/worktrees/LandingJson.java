package dev.roost.worktrees;

import dev.roost.landing.Landing;
import tools.jackson.databind.json.JsonMapper;

/** Writes a landing as JSON for the ledger and the surfaces. */
final class LandingJson {

    private static final JsonMapper JSON = new JsonMapper();

    private LandingJson() {}

    static String write(Landing landing) {
        var json = JSON.createObjectNode();
        json.put("ahead", landing.ahead())
                .put("behind", landing.behind())
                .put("dirty", landing.dirty())
                .put("untracked", landing.untracked());
        if (landing.conflicts() > 0) json.put("conflicts", landing.conflicts());
        landing.operation().ifPresent(mid -> json.put("mid", mid.word()));
        landing.where().ifPresent(where -> json.put("where", where));
        landing.pull().ifPresent(pull -> {
            var request = json.putObject("pull_request").put("number", pull.number());
            pull.url().ifPresent(url -> request.put("url", url));
        });
        landing.unknown().ifPresent(why -> json.put("unknown", why));
        json.put("head", landing.head()).put("computed_from", landing.computedFrom());
        return json.toString();
    }
}
