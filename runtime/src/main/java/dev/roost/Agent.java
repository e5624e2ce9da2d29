package dev.roost;

import dev.roost.agent.JavaAgent;
import dev.roost.agents.AgentProfile;
import dev.roost.agents.Permissions;
import dev.roost.agents.driver.Drivers;
import dev.roost.base.ErrorCode;
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

/** The configuration of an agent: program, arguments, model, permissions, environment. Each method returns a new object. */
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

    /** A program that Roost supports: claude, codex, opencode, gemini; or acp, with a {@link #command}. */
    public static Agent of(String driver) {
        return new Agent(Drivers.of(driver).name());
    }

    /** A class of this program. It runs in a separate JVM with the same Java and the same class path. */
    public static Agent of(Class<? extends JavaAgent> agent) {
        if (!hasUsableConstructor(agent)) {
            throw ErrorCode.BAD_AGENT_CLASS.error(
                    "A separate JVM cannot instantiate the agent class %s.".formatted(agent.getName()));
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

    /** The class path of this program, followed by its module path. */
    private static String classPath() {
        var entries = Stream.of("java.class.path", "jdk.module.path")
                .map(System::getProperty)
                .filter(path -> path != null && !path.isEmpty())
                .flatMap(path -> Stream.of(path.split(File.pathSeparator)))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .toList();
        return String.join(File.pathSeparator, entries);
    }

    /** The program and its first arguments, instead of the default. For a class: the command line before the class name. */
    public Agent command(String... words) {
        return with(it -> it.command = List.of(words));
    }

    /** Arguments that are appended to the command line. A class gets them from {@code arguments()}. */
    public Agent with(String... arguments) {
        return with(it -> it.arguments =
                Stream.concat(this.arguments.stream(), Stream.of(arguments)).toList());
    }

    public Agent withModel(String model) {
        return with(it -> it.model = Optional.of(model));
    }

    /** What the agent may do without asking: {@code safe}, {@code edit} or {@code all}. */
    public Agent withPermissions(String permissions) {
        if (!Set.of("safe", "edit", "all").contains(permissions)) {
            throw ErrorCode.BAD_PERMISSIONS.error(
                    "\"%s\" is not one of safe, edit, all.".formatted(TextFormat.printable(permissions)));
        }
        return with(it -> it.permissions = Permissions.of(permissions));
    }

    /** Variables that are added to the environment of the agent's runs. */
    public Agent withEnvironment(Map<String, String> variables) {
        return with(it -> it.environment = Map.copyOf(variables));
    }

    AgentProfile profile(String name) {
        return new AgentProfile(name, driver, command, model, arguments, permissions, Optional.empty(), environment);
    }
}
