package dev.roost.daemon.http;

import dev.roost.daemon.tokens.Mint;
import dev.roost.daemon.tokens.Secret;
import dev.roost.run.Clock;
import dev.roost.run.Refused;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Lets in who means this listener and has a secret: pages of a browser, whatever they call themselves, do not. */
final class Door {

    private static final System.Logger LOG = System.getLogger(Door.class.getName());
    private static final Pattern BEARER = Pattern.compile("(?i:Bearer) +(\\S{1,200})");

    private final Secret operator;
    private final Secret metersOnly;
    private final Mint mint;
    private final Bearer.Operator anybody;
    private final Where where;
    private final Clock clock;
    private final Failures failures;

    Door(Secret operator, Secret metersOnly, Mint mint, Bearer.Operator anybody, Where where, Clock clock) {
        this.operator = operator;
        this.metersOnly = metersOnly;
        this.mint = mint;
        this.anybody = anybody;
        this.where = where;
        this.clock = clock;
        this.failures = new Failures(clock);
    }

    /** A name that somebody else's DNS leads here (rebinding) is not ours, and a page from elsewhere has no business here. */
    void checkNeighbourhood(Visit visit) {
        var hosts = visit.headers("Host");
        if (hosts.size() != 1 || !where.isOurs(hosts.getFirst()))
            throw new Rejected(
                    403,
                    new Refused(
                            "foreign_host",
                            "The header Host does not name this listener.",
                            "Use the address that `roost daemon status` shows, or name this one in http_names."));
        for (var origin : visit.headers("Origin"))
            if (!where.isOurOrigin(origin))
                throw new Rejected(
                        403,
                        new Refused(
                                "foreign_origin",
                                "The header Origin does not name this listener.",
                                "Use the address that `roost daemon status` shows."));
    }

    /** The operator, or who has the secret that opens nothing else. */
    void openForMeters(Visit visit) {
        if (given(visit).filter(secret -> is(secret, metersOnly)).isPresent()) return;
        if (open(visit) instanceof Bearer.Operator) return;
        throw new Rejected(
                403,
                new Refused(
                        "operators_only",
                        "This token is for one owner, and the meters are of everybody's runs.",
                        "Use the file metrics.token of the home."));
    }

    private static Optional<Secret> given(Visit visit) {
        var given = visit.headers("Authorization");
        if (given.isEmpty()) {
            throw unauthorized(
                    "no_token", "The request has no token.", "Send the header Authorization: Bearer TOKEN.", "");
        }
        return Optional.of(BEARER.matcher(given.getFirst().strip()))
                .filter(shape -> given.size() == 1 && shape.matches())
                .map(shape -> new Secret(shape.group(1)));
    }

    Bearer open(Visit visit) {
        var secret = given(visit);
        if (secret.filter(one -> is(one, operator)).isPresent()) return anybody;
        var known = secret.flatMap(mint::find);
        if (known.filter(one -> !one.scope().page()).isEmpty()) throw wrong(mint.whyNot(secret));
        if (known.get().token().expired(clock.now())) {
            throw unauthorized(
                    "token_expired",
                    "The token %s has expired.".formatted(known.get().token().id()),
                    "Ask the user for a new one: `roost token create`.",
                    ", error=\"invalid_token\"");
        }
        visit.letIn(() -> mint.isGood(known.get().token()));
        return new Bearer.Holder(known.get());
    }

    private static boolean is(Secret given, Secret known) {
        return MessageDigest.isEqual(
                given.sha256().getBytes(StandardCharsets.US_ASCII),
                known.sha256().getBytes(StandardCharsets.US_ASCII));
    }

    private Rejected wrong(Refused because) {
        if (failures.tooMany()) {
            return new Rejected(
                    429,
                    new Refused(
                            "too_many_failures",
                            "Too many requests came with a wrong token.",
                            "Wait a minute; a right one is let in meanwhile."),
                    Map.of("Retry-After", "60"));
        }
        LOG.log(System.Logger.Level.WARNING, "refused a request with an unknown token");
        return unauthorized(because.code(), because.sentence(), because.hint(), ", error=\"invalid_token\"");
    }

    private static Rejected unauthorized(String code, String message, String hint, String detail) {
        return new Rejected(
                401, new Refused(code, message, hint), Map.of("WWW-Authenticate", "Bearer realm=\"roost\"" + detail));
    }
}
