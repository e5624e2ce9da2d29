package dev.roost.agents;

import dev.roost.run.BadInput;
import dev.roost.run.Words;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The drivers there are. Every driver is an agent of its own name. */
public final class Drivers {

    private static final List<Driver> ALL = List.of(new CommandDriver());

    private Drivers() {}

    public static Driver of(String agent) {
        return ALL.stream()
                .filter(driver -> driver.name().equals(agent))
                .findFirst()
                .orElseThrow(() -> unknown(agent));
    }

    private static BadInput unknown(String agent) {
        Function<Driver, String> name = Driver::name;
        return new BadInput(
                "unknown_agent",
                "There is no agent \"%s\".".formatted(Words.printable(agent)),
                "Known agents: %s.".formatted(ALL.stream().map(name).collect(Collectors.joining(", "))));
    }
}
