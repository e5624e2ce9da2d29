package dev.roost.checks;

import java.io.File;
import java.io.IOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds the compiled test classes of all modules, by the names that Surefire accepts. In a full check, a class with tests tagged
 * {@code portable} has a second entry; in a usual check only if some of its tests run only there.
 */
final class CheckEntries {

    /** Written by Maven for each module. */
    private static final String CLASS_PATH = "target/test.classpath";

    private static final Pattern TEST = Pattern.compile("(Test[^$]*|[^$]+(Test|Tests|TestCase))\\.class");
    private static final String TAG = "Lorg/junit/jupiter/api/Tag;";
    private static final String TAGS = "Lorg/junit/jupiter/api/Tags;";

    private CheckEntries() {}

    /** The entries whose simple name matches one of the globs; without globs, all. */
    static List<CheckEntry> find(Path root, boolean full, List<String> globs) throws IOException {
        var matchers = globs.stream()
                .map(glob -> FileSystems.getDefault().getPathMatcher("glob:" + glob))
                .toList();
        var found = new ArrayList<CheckEntry>();
        for (var module : modules(root)) {
            var classes = module.directory().resolve("target/test-classes");
            try (var files = Files.walk(classes)) {
                for (var file : files.filter(CheckEntries::isTest).sorted().toList()) {
                    var name = classes.relativize(file).toString().replace(File.separatorChar, '.');
                    name = name.substring(0, name.length() - ".class".length());
                    var simple = Path.of(name.substring(name.lastIndexOf('.') + 1));
                    if (!matchers.isEmpty() && matchers.stream().noneMatch(one -> one.matches(simple))) continue;
                    boolean alone = tags(ClassFile.of().parse(file)).contains("alone");
                    found.add(new CheckEntry(module, name, false, alone));
                    var tags = allTags(file);
                    if (tags.contains("portable") && (full || tags.contains("elsewhere")))
                        found.add(new CheckEntry(module, name, true, alone));
                }
            }
        }
        return found;
    }

    private static List<CheckEntry.Module> modules(Path root) throws IOException {
        var modules = new ArrayList<CheckEntry.Module>();
        try (var directories = Files.walk(root, 2)) {
            for (var directory : directories.sorted().toList()) {
                var classPath = directory.resolve(CLASS_PATH);
                var classes = directory.resolve("target/test-classes");
                if (!Files.exists(classPath) || !Files.isDirectory(classes)) continue;
                var path = String.join(
                        File.pathSeparator,
                        classes.toString(),
                        directory.resolve("target/classes").toString(),
                        Files.readString(classPath).strip());
                modules.add(new CheckEntry.Module(directory, path));
            }
        }
        return modules;
    }

    private static boolean isTest(Path file) {
        return TEST.matcher(file.getFileName().toString()).matches();
    }

    /** The tags of the class, its nested classes and their methods. */
    private static Set<String> allTags(Path file) throws IOException {
        var tags = new HashSet<String>();
        var name = file.getFileName().toString();
        var nested = name.substring(0, name.length() - ".class".length()) + "$";
        try (var siblings = Files.list(file.toAbsolutePath().getParent())) {
            for (var one : siblings.toList()) {
                var other = one.getFileName().toString();
                if (!other.equals(name) && !(other.startsWith(nested) && other.endsWith(".class"))) continue;
                var model = ClassFile.of().parse(one);
                tags.addAll(tags(model));
                model.methods().forEach(method -> tags.addAll(tags(method)));
            }
        }
        return tags;
    }

    private static Set<String> tags(AttributedElement element) {
        var tags = new HashSet<String>();
        element.findAttribute(Attributes.runtimeVisibleAnnotations())
                .ifPresent(all -> all.annotations().forEach(one -> collect(one, tags)));
        return tags;
    }

    private static void collect(Annotation annotation, Set<String> tags) {
        var type = annotation.className().stringValue();
        if (!type.equals(TAG) && !type.equals(TAGS)) return;
        annotation.elements().stream()
                .flatMap(element -> element.value() instanceof AnnotationValue.OfArray array
                        ? array.values().stream()
                        : Stream.of(element.value()))
                .forEach(value -> {
                    if (value instanceof AnnotationValue.OfString text) tags.add(text.stringValue());
                    if (value instanceof AnnotationValue.OfAnnotation tag) collect(tag.annotation(), tags);
                });
    }
}
