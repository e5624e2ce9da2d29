package dev.roost.daemon.api;

import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.engine.StartRequest;
import dev.roost.model.Caller;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The sender of a request and the limits of its runs, as its surface knows them. {@code directory}: where its runs work by default.
 * {@code confined}: its runs work inside of that directory only, with agents and variables that it may use. {@code harness}: the
 * kind of its harness. {@code environment}: the variables of its runs. {@code callKey}: the same for a repeated call.
 */
public record CallerLimits(
        Caller caller,
        boolean confined,
        Path directory,
        String harness,
        Map<String, String> environment,
        StartRequest.Origin origin,
        Optional<String> callKey,
        TokenTerms terms) {

    /** The terms of a token: its agents, its number of live runs, the launcher before every command line, and its container. */
    public record TokenTerms(
            Optional<List<String>> agents, Optional<Integer> maxLive, List<String> launcher, PathMap paths) {
        public static final TokenTerms NONE =
                new TokenTerms(Optional.empty(), Optional.empty(), List.of(), PathMap.NONE);
    }

    /** The same caller, who may start runs anywhere, with any agent and variables. */
    public CallerLimits unconfined() {
        return new CallerLimits(caller, false, directory, harness, environment, origin, callKey, terms);
    }

    /** The directory of a run. The real path of a confined one, with links resolved, must be inside the caller's directory. */
    Path directory(Optional<String> requested) {
        if (requested.isEmpty()) return directory;
        var shown = TextFormat.printable(requested.get());
        try {
            var cwd = directory.resolve(terms.paths().outside(Path.of(requested.get())));
            if (!confined) return cwd;
            if (cwd.toRealPath().startsWith(directory.toRealPath())) return cwd.toRealPath();
        } catch (InvalidPathException | IOException e) {
            throw ErrorCode.NO_SUCH_DIRECTORY.error(
                    "There is no directory \"%s\".".formatted(shown),
                    confined ? "Pass one inside the project, or omit cwd." : "Correct cwd.");
        }
        throw ErrorCode.OUTSIDE_PROJECT.error("\"%s\" is not inside this session's project, %s."
                .formatted(shown, terms.paths().inside(directory)));
    }
}
