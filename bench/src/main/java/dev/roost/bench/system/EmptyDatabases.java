package dev.roost.bench.system;

import dev.roost.cluster.db.ConnectionSource;
import java.util.concurrent.atomic.AtomicInteger;

/** Empty databases on the server that is measured with, so that nobody's rows are in another's way. */
public final class EmptyDatabases {

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private EmptyDatabases() {}

    public static String another(String address) {
        var name = "bench_" + NUMBER.incrementAndGet();
        ConnectionSource.at(address).use(handle -> handle.execute("CREATE DATABASE " + name));
        return address.replace("/postgres?", "/" + name + "?");
    }
}
