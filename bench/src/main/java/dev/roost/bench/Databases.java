package dev.roost.bench;

import dev.roost.cluster.Database;
import java.util.concurrent.atomic.AtomicInteger;

/** Empty databases on the server that is measured with, so that nobody's rows are in another's way. */
final class Databases {

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private Databases() {}

    static String another(String address) {
        var name = "bench_" + NUMBER.incrementAndGet();
        Database.at(address).use(handle -> handle.execute("CREATE DATABASE " + name));
        return address.replace("/postgres?", "/" + name + "?");
    }
}
