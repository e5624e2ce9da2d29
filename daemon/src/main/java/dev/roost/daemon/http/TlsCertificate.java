package dev.roost.daemon.http;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.daemon.config.HttpSetting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** The TLS certificate and its key, read when the daemon starts. */
public record TlsCertificate(HttpSetting.Tls files) {

    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    public SSLContext context() {
        var chain = chain();
        try {
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("roost", key(chain.getFirst()), new char[0], chain.toArray(X509Certificate[]::new));
            var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, new char[0]);
            var context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw wrong("%s and %s do not match: %s".formatted(files.certificate(), files.key(), e.getMessage()));
        }
    }

    private List<X509Certificate> chain() {
        try (var in = Files.newInputStream(files.certificate())) {
            var chain = CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
                    .map(X509Certificate.class::cast)
                    .toList();
            if (chain.isEmpty()) throw wrong("%s has no certificate".formatted(files.certificate()));
            return chain;
        } catch (IOException e) {
            throw wrong("%s cannot be read".formatted(files.certificate()));
        } catch (GeneralSecurityException e) {
            throw wrong("%s is not a certificate in PEM".formatted(files.certificate()));
        }
    }

    private PrivateKey key(X509Certificate certificate) {
        try {
            var pem = KEY.matcher(Files.readString(files.key(), StandardCharsets.ISO_8859_1));
            if (!pem.find()) throw wrong("%s is not a key in PKCS#8 without a password".formatted(files.key()));
            var bytes = Base64.getMimeDecoder().decode(pem.group(1));
            var algorithm = certificate.getPublicKey().getAlgorithm();
            return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
        } catch (IOException e) {
            throw wrong("%s cannot be read".formatted(files.key()));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw wrong("%s is not the key of that certificate".formatted(files.key()));
        }
    }

    private RoostError wrong(String what) {
        return ErrorCode.BAD_CERTIFICATE.error(
                "HTTP cannot be served with TLS: %s.".formatted(what),
                "Set http_certificate and http_key in %s to files in PEM; `openssl pkcs8 -topk8 -nodes` makes a key of that kind."
                        .formatted(files.where()));
    }
}
