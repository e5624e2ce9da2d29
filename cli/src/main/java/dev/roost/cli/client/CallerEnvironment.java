package dev.roost.cli.client;

import java.util.LinkedHashMap;
import java.util.Map;

/** The environment of whoever called: the launcher lends this process a locale that writes every word. */
public final class CallerEnvironment {

    private static final String LENT_FOR = "ROOST_CALLER_LC_ALL";

    private CallerEnvironment() {}

    public static Map<String, String> own() {
        return of(System.getenv());
    }

    /** Replaces the environment of a program that is about to start; a value that is equal keeps its bytes. */
    public static void give(Map<String, String> environment, Map<String, String> program) {
        program.keySet().retainAll(environment.keySet());
        environment.forEach((name, value) -> {
            if (!value.equals(program.get(name))) program.put(name, value);
        });
    }

    public static Map<String, String> of(Map<String, String> ours) {
        var environment = new LinkedHashMap<>(ours);
        var locale = environment.remove(LENT_FOR);
        if (locale == null) return environment; // nothing was lent
        if (locale.isEmpty()) environment.remove("LC_ALL");
        else environment.put("LC_ALL", locale);
        return environment;
    }
}
