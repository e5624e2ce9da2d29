package dev.roost.daemon.tokens;

import dev.roost.ledger.record.TokenRecord;
import dev.roost.model.Owner;
import dev.roost.node.TokenKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.crypto.Mac;

/**
 * The parts of a signed secret: cluster and generation of the key (9 bytes), random bytes (32), a hash of the token's row (32)
 * and the signature over all of that (32). 105 bytes have exactly one base64 form, so a changed letter changes the signed bytes.
 */
final class SignedSecret {

    private static final Pattern SHAPE = Pattern.compile("roost_[A-Za-z0-9_-]{140}");
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int HASH = 32;
    private static final int KEY = 9;
    private static final int SIGNED = KEY + HASH + HASH;
    private static final byte[] PURPOSE = "roost token 1\n".getBytes(StandardCharsets.US_ASCII);

    private final byte[] bytes;

    private SignedSecret(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Empty if the secret does not have the form of a signed one. */
    static Optional<SignedSecret> of(Secret secret) {
        if (!SHAPE.matcher(secret.text()).matches()) return Optional.empty();
        return Optional.of(
                new SignedSecret(Base64.getUrlDecoder().decode(secret.text().substring("roost_".length()))));
    }

    static Secret make(TokenKey key, String id, Owner owner, String scope, Optional<Instant> expires) {
        var randomBytes = new byte[HASH];
        RANDOM.nextBytes(randomBytes);
        var signed = ByteBuffer.allocate(SIGNED + HASH)
                .putShort((short) (key.cluster() >>> 32))
                .putInt((int) key.cluster())
                .put((byte) (key.generation() >>> 16))
                .putShort((short) key.generation())
                .put(randomBytes)
                .put(signedText(id, owner, scope, expires));
        signed.put(signature(key, signed.array()));
        return new Secret("roost_" + Base64.getUrlEncoder().encodeToString(signed.array()));
    }

    long cluster() {
        return ByteBuffer.wrap(bytes).getLong() >>> 16;
    }

    int generation() {
        return ByteBuffer.wrap(bytes).getInt(5) & 0xffffff;
    }

    boolean isSignedBy(TokenKey key) {
        return MessageDigest.isEqual(signature(key, bytes), Arrays.copyOfRange(bytes, SIGNED, bytes.length));
    }

    /** Whether the row has the content that was signed. */
    boolean matches(TokenRecord row) {
        var signed = Arrays.copyOfRange(bytes, KEY + HASH, SIGNED);
        return MessageDigest.isEqual(signed, signedText(row.id(), row.owner(), row.scope(), row.expiresAt()));
    }

    private static byte[] signature(TokenKey key, byte[] bytes) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(key.secret());
            mac.update(PURPOSE);
            mac.update(bytes, 0, SIGNED);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Hashes each part with its length, so that text cannot move from one part to the next. */
    private static byte[] signedText(String id, Owner owner, String scope, Optional<Instant> expires) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            var end = expires.map(at -> Long.toString(at.toEpochMilli())).orElse("never");
            for (var part : new String[] {id, owner.id(), scope, end}) {
                var text = part.getBytes(StandardCharsets.UTF_8);
                digest.update(ByteBuffer.allocate(4).putInt(text.length).array());
                digest.update(text);
            }
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
