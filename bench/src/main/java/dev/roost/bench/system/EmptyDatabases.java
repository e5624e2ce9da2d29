package dev.roost.bench.system;

import dev.roost.cluster.db.ConnectionSource;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates empty databases on the measured server, so that measurements do not affect each other. */
public final class EmptyDatabases {

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private EmptyDatabases() {}

    public static String another(String address) {
        var name = "bench_" + NUMBER.incrementAndGet();
        ConnectionSource.at(address).use(handle -> handle.execute("CREATE DATABASE " + name));
        return address.replace("/postgres?", "/" + name + "?");
    }
}
