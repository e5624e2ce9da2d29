package dev.roost.home;

import dev.roost.model.ProcessId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Pattern;

/**
 * {@code begun.<n>}: the start claim of a perch. The perch creates its file before anything else and exits if the file exists.
 * A daemon revokes a perch by creating the file first.
 */
record BegunFiles(Path directory) {

    private static final Pattern BEGUN = Pattern.compile("(\\d{1,18}) (\\d{1,18}) (\\S+)");
    private static final String REVOKED = "revoked";

    /** The number of perches launched for this attempt, revoked ones included. */
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
        var fields = BEGUN.matcher(text);
        if (!fields.matches()) return new BegunRecord.UnsignedRecord();
        return new BegunRecord.StartedByPerch(
                new ProcessId(Long.parseLong(fields.group(1)), Long.parseLong(fields.group(2))), fields.group(3));
    }

    boolean revoke() throws IOException {
        var file = begun(count() + 1);
        try (var channel = PrivateFiles.open(file, StandardOpenOption.CREATE_NEW)) {
            channel.write(ByteBuffer.wrap(REVOKED.getBytes(StandardCharsets.UTF_8)));
            return true;
        } catch (FileAlreadyExistsException e) {
            if (PrivateFiles.exists(file)) return false;
            throw new IOException(file + " was not created by a perch and is not a regular file; remove it", e);
        }
    }
}
