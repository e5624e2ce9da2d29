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

/** All that a program can name of these classes, and of those that they name in turn: one line each. */
public final class ApiSignatures {

    private static final String OURS = "dev.roost.";

    private final SortedSet<String> lines = new TreeSet<>();
    private final SortedSet<String> seen = new TreeSet<>();
    private final ArrayDeque<Class<?>> toLookAt = new ArrayDeque<>();

    private ApiSignatures() {}

    public static SortedSet<String> of(Collection<Class<?>> classes) {
        var apiSignatures = new ApiSignatures();
        classes.forEach(apiSignatures::note);
        while (!apiSignatures.toLookAt.isEmpty()) apiSignatures.look(apiSignatures.toLookAt.pop());
        return apiSignatures.lines;
    }

    private void note(Class<?> type) {
        if (type.isArray()) note(type.getComponentType());
        else if (type.getName().startsWith(OURS) && seen.add(type.getName())) toLookAt.add(type);
    }

    private void note(Type type) {
        switch (type) {
            case Class<?> plain -> note(plain);
            case ParameterizedType generic -> {
                note(generic.getRawType());
                for (var argument : generic.getActualTypeArguments()) note(argument);
            }
            case WildcardType any -> {
                for (var bound : any.getUpperBounds()) note(bound);
            }
            default -> {}
        }
    }

    private void look(Class<?> type) {
        var above = Stream.concat(
                        Stream.ofNullable(type.getGenericSuperclass()), Stream.of(type.getGenericInterfaces()))
                .filter(one -> one != Object.class)
                .peek(this::note)
                .map(Type::getTypeName)
                .collect(Collectors.joining(", "));
        var kind = type.isEnum() ? "enum" : type.isRecord() ? "record" : type.isInterface() ? "interface" : "class";
        lines.add("%s: %s %s%s"
                .formatted(
                        type.getName(),
                        modifiers(type.getModifiers() & ~Modifier.ABSTRACT & ~Modifier.STATIC),
                        kind,
                        above.isEmpty() ? "" : " of " + above));
        members(type, type.getDeclaredFields());
        members(type, type.getDeclaredConstructors());
        members(type, type.getDeclaredMethods());
        for (var inner : type.getDeclaredClasses()) if (Modifier.isPublic(inner.getModifiers())) note(inner);
    }

    private <M extends AccessibleObject & Member> void members(Class<?> type, M[] members) {
        for (var member : members) {
            boolean seenFromOutside = Modifier.isPublic(member.getModifiers())
                    || (Modifier.isProtected(member.getModifiers()) && !Modifier.isFinal(type.getModifiers()));
            if (!seenFromOutside || member.isSynthetic()) continue;
            lines.add(type.getName() + ": " + said(member));
        }
    }

    private String said(Member member) {
        var modifiers = modifiers(member.getModifiers());
        return switch (member) {
            case Field field -> {
                note(field.getGenericType());
                yield "%s %s %s".formatted(modifiers, field.getGenericType().getTypeName(), field.getName());
            }
            case Constructor<?> made -> modifiers + " new" + parameters(made);
            case Method method -> {
                note(method.getGenericReturnType());
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
                .peek(this::note)
                .map(Type::getTypeName)
                .collect(Collectors.joining(", ", "(", ")"));
    }

    private static String modifiers(int all) {
        return Modifier.toString(all & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.FINAL))
                .strip();
    }
}
