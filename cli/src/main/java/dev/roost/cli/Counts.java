package dev.roost.cli;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Many runs in a line: how many want something, and what they cost. */
record Counts(Map<Urgency, Integer> of, int unread, double cost) {

    static Counts of(List<JsonNode> runs) {
        var of = new EnumMap<Urgency, Integer>(Urgency.class);
        int unread = 0;
        double cost = 0;
        for (var run : runs) {
            of.merge(Urgency.of(run), 1, Integer::sum);
            if (run.has("ended_at") && run.path("unread").asBoolean()) unread++;
            cost += run.path("usage").path("cost_usd").asDouble(0);
        }
        return new Counts(of, unread, cost);
    }

    String line() {
        int asking = of.getOrDefault(Urgency.ASKS, 0);
        var parts = new ArrayList<String>();
        if (asking > 0) parts.add(Style.yellow(asking + (asking == 1 ? " asks" : " ask")));
        if (of.containsKey(Urgency.DIED)) parts.add(Style.red(of.get(Urgency.DIED) + " died"));
        parts.add(of.getOrDefault(Urgency.RUNNING, 0) + " running");
        if (of.containsKey(Urgency.QUEUED)) parts.add(of.get(Urgency.QUEUED) + " queued");
        if (unread > 0) parts.add(unread + " unread");
        if (cost > 0) parts.add(Summary.dollars(cost));
        return String.join(", ", parts);
    }
}
