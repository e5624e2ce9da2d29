package dev.roost.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Values and bytes that often break parsers. */
public final class HostileValues {

    private static final String[] VALUES = {
        "null",
        "true",
        "false",
        "0",
        "-1",
        "1.5",
        "1e400",
        "-1e400",
        "1e-400",
        "NaN",
        "2147483648",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "99999999999999999999999999999999",
        "0x10",
        "\"\"",
        "\"0\"",
        "\"-1\"",
        "\"9223372036854775807\"",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\"\\udc00\\ud800\"",
        "\"\\u001b[2J\\u202e\"",
        "\"..\"",
        "\"/\"",
        "\"../../etc/passwd\"",
        "\"999999999d\"",
        "\"30m\"",
        "\"claude:other\"",
        "\"1970-01-01T00:00:00Z\"",
        "\"+999999999-12-31T23:59:59Z\"",
        "\"after 999999h\"",
        "\"success\"",
        "[]",
        "{}",
        "[[]]",
        "[null]",
        "[\"a\",1]",
        "{\"a\":{}}",
        "{\"\":\"\"}",
        "{\"PATH\":\"\\u0000\"}",
        "{\"A=B\":\"\\n\"}",
        "[\"\\u0000\"]",
        "[\"true\",\"\\ud800\"]",
        "1979-05-27T07:32:00Z",
        "0000-00-00",
        "''",
        "\"\"\"",
        "[[a]]"
    };

    private static final byte[][] BYTES = {
        {0},
        {'\r'},
        {'\n'},
        {'\r', '\n', '\r', '\n'},
        {'"'},
        {'\\'},
        {'{'},
        {'}'},
        {'['},
        {']'},
        {','},
        {':'},
        {'#'},
        {'%', '0', '0'},
        {0x1b, '[', '3', '1', 'm'},
        {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF}, // a BOM
        {(byte) 0xFF, (byte) 0xFE},
        {(byte) 0xC0, (byte) 0x80}, // overlong encoding of NUL
        {(byte) 0xED, (byte) 0xA0, (byte) 0x80}, // half a surrogate pair
        {(byte) 0xF0, (byte) 0x9F}, // half a character
        {(byte) 0xE2, (byte) 0x80, (byte) 0xA8}, // a line separator
        {(byte) 0x80},
    };

    private HostileValues() {}

    /** A value for JSON or TOML, valid or not. */
    public static String value(Random random) {
        return VALUES[random.nextInt(VALUES.length)];
    }

    static byte[] bytes(Random random) {
        return random.nextBoolean()
                ? BYTES[random.nextInt(BYTES.length)]
                : value(random).getBytes(StandardCharsets.UTF_8);
    }
}
