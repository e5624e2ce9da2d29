package dev.roost.daemon.config;

import dev.roost.agents.Prices;
import dev.roost.base.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** Reads the {@code prices.toml} that is part of Roost; the user's own file overrides it. */
final class PriceFile {

    private PriceFile() {}

    static Prices load(Path own) {
        var prices = new HashMap<>(read(
                SettingsTable.parse(new SettingsTable.Source(ErrorCode.BAD_PRICES, "prices.toml", false), bundled())));
        prices.putAll(
                read(SettingsTable.read(new SettingsTable.Source(ErrorCode.BAD_PRICES, own.toString(), false), own)));
        return new Prices(prices);
    }

    private static String bundled() {
        try (var in = Objects.requireNonNull(PriceFile.class.getResourceAsStream("prices.toml"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Prices.Price> read(SettingsTable file) {
        var prices = new HashMap<String, Prices.Price>();
        for (var model : file.names()) {
            var table = file.table(model).only(SettingCatalog.names(SettingCatalog.price()));
            var where = file.where(model);
            double input = price(table, "input", where);
            prices.put(
                    model,
                    new Prices.Price(input, table.decimal("cached").orElse(input), price(table, "output", where)));
        }
        return prices;
    }

    private static double price(SettingsTable table, String name, String where) {
        return table.decimal(name)
                .orElseThrow(() -> table.source()
                        .wrong(
                                "The price %s is missing.".formatted(table.full(name)),
                                "Write it in %s, in dollars for a million tokens.".formatted(where)));
    }
}
