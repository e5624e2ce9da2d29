import java.io.File;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.InvokeDynamicEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.zip.ZipFile;

/** Makes the class caches of {@code ./build dist} reproducible; docs/adr/0020 gives the reasons. */
class Caches {

    private static final int LONGEST_DUMP = 600_000;

    static void main(String[] words) throws IOException {
        switch (words[0]) {
            case "list" -> list(Path.of(words[1]), List.of(words).subList(2, words.length));
            case "steady" -> steady(Path.of(words[1]), Path.of(words[2]));
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    /**
     * Prints the list from which the JVM dumps a cache: the recorded names that still exist, and for each class all that can be
     * resolved beforehand. A recording would contain only what one run resolved, which varies.
     */
    private static void list(Path recorded, List<String> jars) throws IOException {
        var lines = Files.readAllLines(recorded);
        var classes = classes(jars);
        lines.stream().filter(line -> line.startsWith("@") || classes.containsKey(line)).forEach(System.out::println);
        for (var name : lines) {
            var bytes = classes.get(name);
            if (bytes == null) continue;
            var pool = ClassFile.of().parse(bytes.read()).constantPool();
            var resolvable = new ArrayList<String>();
            for (var entry : pool)
                if (entry instanceof ClassEntry || entry instanceof MemberRefEntry || entry instanceof InvokeDynamicEntry)
                    resolvable.add(String.valueOf(entry.index()));
            if (!resolvable.isEmpty()) System.out.println("@cp " + name + " " + String.join(" ", resolvable));
        }
        long gone = lines.stream().filter(line -> !line.startsWith("@") && !classes.containsKey(line)).count();
        if (gone > 0) System.err.println("%s: %d of %d are gone".formatted(recorded, gone, lines.size()));
    }

    private interface Source {
        byte[] read() throws IOException;
    }

    private static Map<String, Source> classes(List<String> jars) throws IOException {
        var found = new HashMap<String, Source>();
        var modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        try (var files = Files.walk(modules)) {
            files.filter(file -> file.toString().endsWith(".class") && file.getNameCount() > 2)
                    .forEach(file -> found.put(
                            name(file.subpath(2, file.getNameCount()).toString()), () -> Files.readAllBytes(file)));
        }
        for (var path : jars) {
            try (var jar = new JarFile(new File(path), false, ZipFile.OPEN_READ, JarFile.runtimeVersion())) {
                for (var entry : jar.versionedStream().collect(Collectors.toList())) {
                    if (!entry.getName().endsWith(".class")) continue;
                    var bytes = jar.getInputStream(entry).readAllBytes();
                    found.putIfAbsent(name(entry.getName()), () -> bytes);
                }
            }
        }
        return found;
    }

    private static String name(String file) {
        return file.substring(0, file.length() - ".class".length());
    }

    /**
     * Two dumps of the same list differ by their time: soft references contain the machine's uptime in milliseconds. Replaces it
     * by 0, and the checksums, which the JVM reads only for verification. Refuses any other difference.
     */
    private static void steady(Path file, Path later) throws IOException {
        var one = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        var two = ByteBuffer.wrap(Files.readAllBytes(later)).order(ByteOrder.LITTLE_ENDIAN);
        if (one.capacity() != two.capacity()) throw new IllegalStateException("two dumps are not equally long");
        int header = one.getInt(12);
        int checksums = 0;
        for (int at = 0; at < header; at += Integer.BYTES) {
            if (one.getInt(at) == two.getInt(at)) continue;
            one.putInt(at, 0);
            checksums++;
        }
        if (checksums > 2) throw new IllegalStateException("two dumps differ in their headers");
        int clocks = 0;
        for (int at = header; at + Long.BYTES <= one.capacity(); at += Long.BYTES) {
            long difference = two.getLong(at) - one.getLong(at);
            if (difference == 0) continue;
            if (difference < 0 || difference > LONGEST_DUMP || one.getLong(at) < 0 || one.getLong(at) >> 42 != 0)
                throw new IllegalStateException("two dumps differ at %d: %x, %x".formatted(at, one.getLong(at), two.getLong(at)));
            one.putLong(at, 0);
            clocks++;
        }
        Files.write(file, one.array());
        System.out.println("%s: %d clocks".formatted(file.getFileName(), clocks));
    }
}
