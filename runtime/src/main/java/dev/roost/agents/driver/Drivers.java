package dev.roost.agents.driver;

import dev.roost.agents.CommandDriver;
import dev.roost.agents.Driver;
import dev.roost.agents.acp.AcpDriver;
import dev.roost.base.BadInput;
import dev.roost.base.TextFormat;
import java.util.List;
import java.util.Optional;

/** All drivers, by name. */
public final class Drivers {

    private static final List<Driver> ALL = List.of(
            new CommandDriver(),
            new ClaudeDriver(),
            new CodexDriver(),
            new OpenCodeDriver(),
            new GeminiDriver(),
            new AcpDriver(),
            new JavaDriver());

    private Drivers() {}

    public static List<Driver> all() {
        return ALL;
    }

    public static Optional<Driver> find(String name) {
        return ALL.stream().filter(driver -> driver.name().equals(name)).findFirst();
    }

    public static Driver of(String name) {
        return find(name)
                .orElseThrow(() -> new BadInput(
                        "unknown_driver",
                        "There is no driver \"%s\".".formatted(TextFormat.printable(name)),
                        "Known drivers: %s."
                                .formatted(String.join(
                                        ", ", ALL.stream().map(Driver::name).toList()))));
    }
}
