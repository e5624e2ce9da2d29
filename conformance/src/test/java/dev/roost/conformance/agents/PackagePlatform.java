package dev.roost.conformance.agents;

/** The platform names of npm packages. */
final class PackagePlatform {

    private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");
    private static final boolean MAC = System.getProperty("os.name").startsWith("Mac");

    private PackagePlatform() {}

    static String npm() {
        return (MAC ? "darwin-" : "linux-") + (ARM ? "arm64" : "x64");
    }

    static String rust() {
        return (ARM ? "aarch64" : "x86_64") + (MAC ? "-apple-darwin" : "-unknown-linux-musl");
    }
}
