package dev.roost.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** Whether what a user asks every day takes longer as the past grows. */
final class Growth implements Bench {

    private static final int OLD = 100;
    private static final int ASKED = 50;

    @Override
    public void measure(Setting setting, Report report) throws Exception {
        var sizes = setting.quick() ? new int[] {1_000, 20_000} : new int[] {1_000, 100_000, 1_000_000};
        var first = new LinkedHashMap<String, Double>();
        for (int size : sizes) {
            for (var one : at(setting, size).entrySet()) {
                report.add("%s, %,d ended runs".formatted(one.getKey(), size), "ms", one.getValue());
                double before = first.computeIfAbsent(one.getKey(), _ -> one.getValue());
                if (size == sizes[sizes.length - 1])
                    report.atMost(
                            2,
                            "%s: %,d ended runs ÷ %,d".formatted(one.getKey(), size, sizes[0]),
                            "times",
                            one.getValue() / before);
            }
        }
    }

    private static Map<String, Double> at(Setting setting, int size) throws Exception {
        var times = new LinkedHashMap<String, Double>();
        try (var roost = new Launched(setting, "past-" + size)) {
            Past.write(roost.home, size, OLD);
            long began = System.nanoTime();
            roost.start();
            times.put("the daemon starts", (System.nanoTime() - began) / 1e6);
            try (var daemon = roost.connect()) {
                var some = daemon.call("list", operator().put("filter", "all").put("limit", 1))
                        .path("runs")
                        .path(0)
                        .path("run_id")
                        .asString();
                times.put("list, live and unread", median(daemon, "list", operator()));
                times.put(
                        "list, all, a page of 50",
                        median(daemon, "list", operator().put("filter", "all").put("limit", 50)));
                times.put(
                        "list of one owner, all, a page of 50",
                        median(
                                daemon,
                                "list",
                                Daemon.params()
                                        .put("caller", "bench:7")
                                        .put("filter", "all")
                                        .put("limit", 50)));
                times.put("inbox", median(daemon, "inbox", Daemon.params()));
                times.put("show", median(daemon, "show", operator().put("run_id", some)));
                began = System.nanoTime();
                int pruned = daemon.call("prune", operator().put("older_than", "900d"))
                        .path("runs")
                        .size();
                times.put("prune of %d".formatted(OLD), (System.nanoTime() - began) / 1e6);
                if (pruned != OLD) throw new IllegalStateException(pruned + " were pruned");
            }
        }
        return times;
    }

    private static ObjectNode operator() {
        return Daemon.params().put("operator", true);
    }

    private static double median(Daemon daemon, String method, ObjectNode params) throws Exception {
        var times = new double[ASKED];
        for (int i = -10; i < ASKED; i++) {
            long before = System.nanoTime();
            daemon.call(method, params);
            if (i >= 0) times[i] = (System.nanoTime() - before) / 1e6;
        }
        return Report.median(times);
    }
}
