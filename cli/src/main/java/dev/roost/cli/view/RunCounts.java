package dev.roost.cli.view;

import dev.roost.cli.client.Style;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Summary of many runs: counts by urgency, and cost. */
public record RunCounts(Map<RunUrgency, Integer> of, int unread, double cost) {

    public static RunCounts of(List<JsonNode> runs) {
        var of = new EnumMap<RunUrgency, Integer>(RunUrgency.class);
        int unread = 0;
        double cost = 0;
        for (var run : runs) {
            of.merge(RunUrgency.of(run), 1, Integer::sum);
            if (run.has("ended_at") && run.path("unread").asBoolean()) unread++;
            cost += run.path("usage").path("cost_usd").asDouble(0);
        }
        return new RunCounts(of, unread, cost);
    }

    public String line() {
        int asking = of.getOrDefault(RunUrgency.ASKS, 0);
        var parts = new ArrayList<String>();
        if (asking > 0) parts.add(Style.yellow(asking + (asking == 1 ? " asks" : " ask")));
        if (of.containsKey(RunUrgency.DIED)) parts.add(Style.red(of.get(RunUrgency.DIED) + " died"));
        parts.add(of.getOrDefault(RunUrgency.RUNNING, 0) + " running");
        if (of.containsKey(RunUrgency.QUEUED)) parts.add(of.get(RunUrgency.QUEUED) + " queued");
        if (unread > 0) parts.add(unread + " unread");
        if (cost > 0) parts.add(RunSummary.dollars(cost));
        return String.join(", ", parts);
    }
}
