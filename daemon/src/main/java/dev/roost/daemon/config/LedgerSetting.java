package dev.roost.daemon.config;

import dev.roost.base.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The line {@code ledger = …} of config.toml, which makes a home a node; {@code there} is its present value. */
public record LedgerSetting(Path file, Optional<String> there) {

    public static LedgerSetting of(Map<String, String> environment) {
        var file = ConfigFile.directory(environment).resolve("config.toml");
        var source = new SettingsTable.Source(ErrorCode.BAD_CONFIG, file.toString(), true);
        return new LedgerSetting(file, SettingsTable.read(source, file).text("ledger"));
    }

    /** Refuses if the file names another ledger: a home has one, and only its user may change it. */
    public void refuseAnother(String address) {
        if (there.filter(known -> !known.equals(address)).isEmpty()) return;
        throw ErrorCode.JOINED_ANOTHER.error("%s names another shared ledger already.".formatted(file));
    }

    /** Inserts the line at the top of the file, since further down it would belong to a table. Keeps all other content. */
    public void write(String address) throws IOException {
        if (there.isPresent()) return;
        var real = Files.exists(file) ? file.toRealPath() : file;
        var directory = Objects.requireNonNull(real.getParent());
        Files.createDirectories(directory);
        var before = Files.exists(real) ? Files.readString(real) : "";
        var fresh = Files.createTempFile(directory, ".config", ".toml"); // readable by its owner only
        try {
            var quoted = address.replace("\\", "\\\\").replace("\"", "\\\"");
            Files.writeString(fresh, "ledger = \"%s\"\n%s".formatted(quoted, before));
            if (Files.exists(real)) Files.setPosixFilePermissions(fresh, Files.getPosixFilePermissions(real));
            Files.move(fresh, real, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }
}
