package dev.roost.cli.terminal;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Decodes keys from a terminal's bytes; keeps an incomplete sequence for the next call. */
public final class KeyDecoder {

    private static final int ESC = 0x1b;
    private static final int MAX_ESCAPE = 32;
    private static final int MAX_PASTE = 1 << 20;
    private static final byte[] PASTE_END = "\033[201~".getBytes(StandardCharsets.US_ASCII);

    private byte[] rest = {};
    private boolean pasting;
    private final ByteArrayOutputStream pasted = new ByteArrayOutputStream();

    /** The keys that are complete now. */
    public List<KeyPress> keys(byte[] bytes) {
        var all = Arrays.copyOf(rest, rest.length + bytes.length);
        System.arraycopy(bytes, 0, all, rest.length, bytes.length);
        var keys = new ArrayList<KeyPress>();
        int at = 0;
        while (at < all.length) {
            int used = pasting ? paste(all, at, keys) : key(all, at, keys);
            if (used == 0) break;
            at += used;
        }
        rest = Arrays.copyOfRange(all, at, all.length);
        return keys;
    }

    /** Whether the last bytes may be an incomplete sequence. */
    public boolean waits() {
        return rest.length > 0 && !pasting;
    }

    /** Ends an incomplete sequence after the timeout; a single escape byte is the Escape key. */
    public List<KeyPress> giveUp() {
        var left = rest;
        rest = new byte[0];
        if (left.length == 0) return List.of();
        return List.of(KeyPress.of(left[0] == ESC && left.length == 1 ? KeyPress.Kind.ESCAPE : KeyPress.Kind.UNKNOWN));
    }

    private int key(byte[] all, int at, List<KeyPress> keys) {
        int first = all[at] & 0xff;
        if (first == ESC) return escape(all, at, keys);
        if (first < 0x20 || first == 0x7f) {
            keys.add(control(first));
            return 1;
        }
        int length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        if (at + length > all.length) return 0;
        keys.add(KeyPress.typed(new String(all, at, length, StandardCharsets.UTF_8)));
        return length;
    }

    private static KeyPress control(int c) {
        return switch (c) {
            case '\r', '\n' -> KeyPress.of(KeyPress.Kind.ENTER);
            case '\t' -> KeyPress.of(KeyPress.Kind.TAB);
            case 0x08, 0x7f -> KeyPress.of(KeyPress.Kind.BACKSPACE);
            default -> KeyPress.ctrl((char) (c | 0x60));
        };
    }

    private int escape(byte[] all, int at, List<KeyPress> keys) {
        if (at + 1 == all.length) return 0;
        int second = all[at + 1] & 0xff;
        if (second == ESC) {
            keys.add(KeyPress.of(KeyPress.Kind.ESCAPE));
            return 1;
        }
        if (second == 'O') {
            if (at + 2 == all.length) return 0;
            keys.add(KeyPress.of(named(all[at + 2], "")));
            return 3;
        }
        if (second != '[') { // Alt and a key
            keys.add(KeyPress.of(KeyPress.Kind.UNKNOWN));
            return 2;
        }
        for (int end = at + 2; end < all.length; end++) {
            int c = all[end] & 0xff;
            if (c >= 0x40 && c <= 0x7e) return sequence(all, at, end, keys);
            if (c < 0x20 || c > 0x7e || end - at > MAX_ESCAPE) {
                keys.add(KeyPress.of(KeyPress.Kind.UNKNOWN));
                return end - at;
            }
        }
        return 0;
    }

    private int sequence(byte[] all, int at, int end, List<KeyPress> keys) {
        var parameters = new String(all, at + 2, end - at - 2, StandardCharsets.US_ASCII);
        if (all[end] == '~' && parameters.equals("200")) pasting = true;
        else keys.add(KeyPress.of(named(all[end], parameters)));
        return end - at + 1;
    }

    private static KeyPress.Kind named(byte last, String parameters) {
        return switch (last) {
            case 'A' -> KeyPress.Kind.UP;
            case 'B' -> KeyPress.Kind.DOWN;
            case 'C' -> KeyPress.Kind.RIGHT;
            case 'D' -> KeyPress.Kind.LEFT;
            case 'H' -> KeyPress.Kind.HOME;
            case 'F' -> KeyPress.Kind.END;
            case 'M' -> KeyPress.Kind.ENTER; // of the keypad
            case '~' ->
                switch (parameters.split(";", -1)[0]) {
                    case "1", "7" -> KeyPress.Kind.HOME;
                    case "3" -> KeyPress.Kind.DELETE;
                    case "4", "8" -> KeyPress.Kind.END;
                    case "5" -> KeyPress.Kind.PAGE_UP;
                    case "6" -> KeyPress.Kind.PAGE_DOWN;
                    default -> KeyPress.Kind.UNKNOWN;
                };
            default -> KeyPress.Kind.UNKNOWN;
        };
    }

    /** Reads pasted text up to its end mark, which may be incomplete too. */
    private int paste(byte[] all, int at, List<KeyPress> keys) {
        for (int i = at; i < all.length; i++) {
            if (all[i] != ESC) continue;
            int available = Math.min(PASTE_END.length, all.length - i);
            if (!Arrays.equals(all, i, i + available, PASTE_END, 0, available)) continue;
            keep(all, at, i);
            if (available < PASTE_END.length) return i - at;
            pasting = false;
            keys.add(new KeyPress(KeyPress.Kind.PASTE, pasted.toString(StandardCharsets.UTF_8)));
            pasted.reset();
            return i - at + available;
        }
        keep(all, at, all.length);
        return all.length - at;
    }

    private void keep(byte[] all, int from, int to) {
        pasted.write(all, from, Math.max(0, Math.min(to - from, MAX_PASTE - pasted.size())));
    }
}
