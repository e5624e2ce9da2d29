package dev.roost.daemon.tokens;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** The secret text of a token. Its {@code toString} hides it from logs and messages. */
public record Secret(String text) {

    /** The longer form is of signed tokens, which earlier versions made in clusters. */
    private static final Pattern SHAPE = Pattern.compile("roost_[A-Za-z0-9_-]{43}(?:[A-Za-z0-9_-]{97})?");

    private static final SecureRandom RANDOM = new SecureRandom();

    public static Secret create() {
        var bytes = new byte[32];
        RANDOM.nextBytes(bytes);
        return new Secret("roost_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }

    public boolean wellFormed() {
        return SHAPE.matcher(text).matches();
    }

    public String sha256() {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String toString() {
        return "roost_…";
    }
}
