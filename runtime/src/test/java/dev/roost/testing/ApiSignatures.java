package dev.roost.testing;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The public API of these classes and of the Roost classes that they mention: one line for each member. */
public final class ApiSignatures {

    private static final String OURS = "dev.roost.";

    private final SortedSet<String> lines = new TreeSet<>();
    private final SortedSet<String> seen = new TreeSet<>();
    private final ArrayDeque<Class<?>> pending = new ArrayDeque<>();

    private ApiSignatures() {}

    public static SortedSet<String> of(Collection<Class<?>> classes) {
        var apiSignatures = new ApiSignatures();
        classes.forEach(apiSignatures::addType);
        while (!apiSignatures.pending.isEmpty()) apiSignatures.describe(apiSignatures.pending.pop());
        return apiSignatures.lines;
    }

    private void addType(Class<?> type) {
        if (type.isArray()) addType(type.getComponentType());
        else if (type.getName().startsWith(OURS) && seen.add(type.getName())) pending.add(type);
    }

    private void addType(Type type) {
        switch (type) {
            case Class<?> plain -> addType(plain);
            case ParameterizedType generic -> {
                addType(generic.getRawType());
                for (var argument : generic.getActualTypeArguments()) addType(argument);
            }
            case WildcardType any -> {
                for (var bound : any.getUpperBounds()) addType(bound);
            }
            default -> {}
        }
    }

    private void describe(Class<?> type) {
        var supertypes = Stream.concat(
                        Stream.ofNullable(type.getGenericSuperclass()), Stream.of(type.getGenericInterfaces()))
                .filter(one -> one != Object.class)
                .peek(this::addType)
                .map(Type::getTypeName)
                .collect(Collectors.joining(", "));
        var kind = type.isEnum() ? "enum" : type.isRecord() ? "record" : type.isInterface() ? "interface" : "class";
        lines.add("%s: %s %s%s"
                .formatted(
                        type.getName(),
                        modifiers(type.getModifiers() & ~Modifier.ABSTRACT & ~Modifier.STATIC),
                        kind,
                        supertypes.isEmpty() ? "" : " of " + supertypes));
        members(type, type.getDeclaredFields());
        members(type, type.getDeclaredConstructors());
        members(type, type.getDeclaredMethods());
        for (var inner : type.getDeclaredClasses()) if (Modifier.isPublic(inner.getModifiers())) addType(inner);
    }

    private <M extends AccessibleObject & Member> void members(Class<?> type, M[] members) {
        for (var member : members) {
            boolean visible = Modifier.isPublic(member.getModifiers())
                    || (Modifier.isProtected(member.getModifiers()) && !Modifier.isFinal(type.getModifiers()));
            if (!visible || member.isSynthetic()) continue;
            lines.add(type.getName() + ": " + signature(member));
        }
    }

    private String signature(Member member) {
        var modifiers = modifiers(member.getModifiers());
        return switch (member) {
            case Field field -> {
                addType(field.getGenericType());
                yield "%s %s %s".formatted(modifiers, field.getGenericType().getTypeName(), field.getName());
            }
            case Constructor<?> made -> modifiers + " new" + parameters(made);
            case Method method -> {
                addType(method.getGenericReturnType());
                yield "%s %s %s%s"
                        .formatted(
                                modifiers,
                                method.getGenericReturnType().getTypeName(),
                                method.getName(),
                                parameters(method));
            }
            default -> throw new IllegalArgumentException(member.toString());
        };
    }

    private String parameters(Executable executable) {
        return Arrays.stream(executable.getGenericParameterTypes())
                .peek(this::addType)
                .map(Type::getTypeName)
                .collect(Collectors.joining(", ", "(", ")"));
    }

    private static String modifiers(int all) {
        return Modifier.toString(all & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.FINAL))
                .strip();
    }
}
