package dev.roost.daemon.config;

import dev.roost.base.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The line of config.toml that makes a home a node. */
public record LedgerSetting(Path file, Optional<String> there) {

    public static LedgerSetting of(Map<String, String> environment) {
        var file = ConfigFile.directory(environment).resolve("config.toml");
        var source = new SettingsTable.Source("bad_config", file.toString(), true);
        return new LedgerSetting(file, SettingsTable.read(source, file).text("ledger"));
    }

    /** A home has one ledger; which one, its user says. */
    public void refuseAnother(String address) {
        if (there.filter(known -> !known.equals(address)).isEmpty()) return;
        throw new Refusal(
                "joined_another",
                "%s names another shared ledger already.".formatted(file),
                "Take the line `ledger = …` out of it first, if this home is to leave that one.");
    }

    /** Before everything else in the file: further down it would be part of some table. The file stays what else it is. */
    public void write(String address) throws IOException {
        if (there.isPresent()) return;
        var real = Files.exists(file) ? file.toRealPath() : file;
        var directory = Objects.requireNonNull(real.getParent());
        Files.createDirectories(directory);
        var before = Files.exists(real) ? Files.readString(real) : "";
        var fresh = Files.createTempFile(directory, ".config", ".toml"); // for its owner alone
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
