package dev.roost.home;

import dev.roost.model.ProcessId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Pattern;

/** {@code begun.<n>}: which a perch must make before it does anything else. Who makes it first, the perch or who revokes it, has won. */
record BegunFiles(Path directory) {

    private static final Pattern BEGUN = Pattern.compile("(\\d{1,18}) (\\d{1,18}) (\\S+)");
    private static final String REVOKED = "revoked";

    /** How often a perch was sent off for this attempt, counting those told not to begin. */
    int count() {
        int n = 0;
        while (PrivateFiles.exists(begun(n + 1))) n++;
        return n;
    }

    private Path begun(int spawn) {
        return directory.resolve("begun." + spawn);
    }

    BegunRecord last() throws IOException {
        int last = count();
        if (last == 0) return new BegunRecord.NoRecord();
        String text = RecordFile.small(begun(last)).orElse("").strip();
        if (text.equals(REVOKED)) return new BegunRecord.RevokedRecord();
        var words = BEGUN.matcher(text);
        if (!words.matches()) return new BegunRecord.UnsignedRecord();
        return new BegunRecord.StartedByPerch(
                new ProcessId(Long.parseLong(words.group(1)), Long.parseLong(words.group(2))), words.group(3));
    }

    boolean revoke() throws IOException {
        var mark = begun(count() + 1);
        try (var channel = PrivateFiles.open(mark, StandardOpenOption.CREATE_NEW)) {
            channel.write(ByteBuffer.wrap(REVOKED.getBytes(StandardCharsets.UTF_8)));
            return true;
        } catch (FileAlreadyExistsException e) {
            if (PrivateFiles.exists(mark)) return false;
            throw new IOException(mark + " is no file of a perch's, and is in the way", e);
        }
    }
}
