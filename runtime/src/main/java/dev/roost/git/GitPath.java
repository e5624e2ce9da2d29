package dev.roost.git;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/** A path as git stores it: one char per byte, because a file name need not be text. */
public record GitPath(String raw) implements Comparable<GitPath> {

    private static final String PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._/";

    /** The path relative to {@code root}; both must be absolute. */
    public static GitPath of(Path root, Path path) {
        var full = rawPath(path);
        return decoded(full.substring(rawPath(root).length() + 1));
    }

    /** The target of a symbolic link. It need not be text, and a trailing slash is significant. */
    public static GitPath ofLink(Path link) throws IOException {
        var target = Files.readSymbolicLink(link);
        var full = Path.of("/").resolve(target).toUri().getRawPath();
        if (full.endsWith("/") && !target.toString().endsWith("/")) full = full.substring(0, full.length() - 1);
        return decoded(target.isAbsolute() ? full : full.substring(1));
    }

    public static GitPath decoded(String percents) {
        var bytes = new ByteArrayOutputStream();
        for (int i = 0; i < percents.length(); i++) {
            if (percents.charAt(i) == '%' && i + 2 < percents.length()) {
                bytes.write(HexFormat.fromHexDigits(percents, i + 1, i + 3));
                i += 2;
            } else {
                bytes.write(percents.charAt(i));
            }
        }
        return new GitPath(bytes.toString(StandardCharsets.ISO_8859_1));
    }

    public String encoded() {
        var text = new StringBuilder();
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (PLAIN.indexOf(c) >= 0) text.append(c);
            else text.append('%').append(HexFormat.of().withUpperCase().toHexDigits((byte) c));
        }
        return text.toString();
    }

    /** Goes through a URI, because a Path cannot be made from bytes that are not text in the locale. */
    public Path in(Path root) {
        return Path.of(URI.create("file://" + rawPath(root) + "/" + encoded()));
    }

    /** The path for display: invalid UTF-8 becomes a replacement character. */
    public String text() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    public byte[] bytes() {
        return raw.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Whether git allows the path in a tree: no part of it is {@code .git} in any letter case. */
    public boolean isNameForGit() {
        return GitReply.pieces(raw, '/').stream().noneMatch(".git"::equalsIgnoreCase);
    }

    public boolean isDirectory() {
        return raw.endsWith("/");
    }

    public GitPath withoutSlash() {
        return isDirectory() ? new GitPath(raw.substring(0, raw.length() - 1)) : this;
    }

    private static String rawPath(Path path) {
        var raw = path.toAbsolutePath().toUri().getRawPath();
        return raw.endsWith("/") ? raw.substring(0, raw.length() - 1) : raw;
    }

    @Override
    public int compareTo(GitPath other) {
        return raw.compareTo(other.raw);
    }
}
