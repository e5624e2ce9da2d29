package dev.roost;

import dev.roost.agent.JavaAgent;
import dev.roost.agents.AgentProfile;
import dev.roost.agents.Permissions;
import dev.roost.agents.driver.Drivers;
import dev.roost.base.BadInput;
import dev.roost.base.TextFormat;
import java.io.File;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** How a named agent is run. Each method answers a new one. */
public final class Agent {

    private final String driver;
    private List<String> command = List.of();
    private List<String> arguments = List.of();
    private Optional<String> model = Optional.empty();
    private Permissions permissions = Permissions.SAFE;
    private Map<String, String> environment = Map.of();

    private Agent(String driver) {
        this.driver = driver;
    }

    private Agent with(Consumer<Agent> change) {
        var other = new Agent(driver);
        other.command = command;
        other.arguments = arguments;
        other.model = model;
        other.permissions = permissions;
        other.environment = environment;
        change.accept(other);
        return other;
    }

    /** One of the programs that Roost knows: claude, codex, opencode, gemini; or acp, with a {@link #command}. */
    public static Agent of(String driver) {
        return new Agent(Drivers.of(driver).name());
    }

    /** A class of this program, in a JVM of its own: the same Java, with the same class path. */
    public static Agent of(Class<? extends JavaAgent> agent) {
        if (!hasUsableConstructor(agent)) {
            throw new BadInput(
                    "bad_agent_class",
                    "%s cannot be made in a JVM of its own.".formatted(agent.getName()),
                    "Make it a public class, static if it is inside another, with a public constructor without parameters.");
        }
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new Agent("java").command(java, "-cp", classPath()).with(agent.getName());
    }

    private static boolean hasUsableConstructor(Class<?> agent) {
        try {
            return Modifier.isPublic(agent.getModifiers())
                    && !Modifier.isAbstract(agent.getModifiers())
                    && Modifier.isPublic(agent.getConstructor().getModifiers());
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    /** All that this program can load, also what it has as modules. */
    private static String classPath() {
        var entries = Stream.of("java.class.path", "jdk.module.path")
                .map(System::getProperty)
                .filter(path -> path != null && !path.isEmpty())
                .flatMap(path -> Stream.of(path.split(File.pathSeparator)))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .toList();
        return String.join(File.pathSeparator, entries);
    }

    /** The program and its first words, in place of the usual one. For a class, all that comes before its name. */
    public Agent command(String... words) {
        return with(it -> it.command = List.of(words));
    }

    /** Words that are added to those of the program; to a class, they are its {@code arguments()}. */
    public Agent with(String... arguments) {
        return with(it -> it.arguments =
                Stream.concat(this.arguments.stream(), Stream.of(arguments)).toList());
    }

    public Agent withModel(String model) {
        return with(it -> it.model = Optional.of(model));
    }

    /** What it may do unasked: {@code safe}, {@code edit} or {@code all}. */
    public Agent withPermissions(String permissions) {
        if (!Set.of("safe", "edit", "all").contains(permissions)) {
            throw new BadInput(
                    "bad_permissions",
                    "\"%s\" is not one of safe, edit, all.".formatted(TextFormat.printable(permissions)),
                    "Pass one of them.");
        }
        return with(it -> it.permissions = Permissions.of(permissions));
    }

    /** Variables that are added to the environment of its runs. */
    public Agent withEnvironment(Map<String, String> variables) {
        return with(it -> it.environment = Map.copyOf(variables));
    }

    AgentProfile profile(String name) {
        return new AgentProfile(name, driver, command, model, arguments, permissions, Optional.empty(), environment);
    }
}
