package dev.roost.cli.client;

import java.util.LinkedHashMap;
import java.util.Map;

/** The caller's environment, without the UTF-8 locale that the launcher sets for this process. */
public final class CallerEnvironment {

    private static final String CALLER_LOCALE = "ROOST_CALLER_LC_ALL";

    private CallerEnvironment() {}

    public static Map<String, String> own() {
        return of(System.getenv());
    }

    /** Replaces a program's environment before it starts; an equal value keeps its bytes. */
    public static void give(Map<String, String> environment, Map<String, String> program) {
        program.keySet().retainAll(environment.keySet());
        environment.forEach((name, value) -> {
            if (!value.equals(program.get(name))) program.put(name, value);
        });
    }

    public static Map<String, String> of(Map<String, String> own) {
        var environment = new LinkedHashMap<>(own);
        var locale = environment.remove(CALLER_LOCALE);
        if (locale == null) return environment; // the launcher set no locale
        if (locale.isEmpty()) environment.remove("LC_ALL");
        else environment.put("LC_ALL", locale);
        return environment;
    }
}
