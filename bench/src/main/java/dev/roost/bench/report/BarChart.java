package dev.roost.bench.report;

import java.util.List;
import java.util.Locale;

/** A bar chart with error ranges, as SVG for light and dark backgrounds. */
final class BarChart {

    private static final int WIDTH = 860;
    private static final int LEFT = 400;
    private static final int RIGHT = 130;
    private static final int ROW = 26;

    private BarChart() {}

    /** Figures of one unit share a scale; {@code figures} may have several units. */
    static String bars(List<BenchmarkReport.Figure> figures) {
        var svg = new StringBuilder();
        int height = figures.size() * ROW + 12;
        svg.append(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                        .formatted(WIDTH, height));
        svg.append("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n".formatted(WIDTH, height));
        int y = 6;
        for (var figure : figures) {
            double most = figures.stream()
                    .filter(other -> other.unit().equals(figure.unit()))
                    .mapToDouble(other -> other.rounds().getLast())
                    .max()
                    .orElse(1);
            double scale = (WIDTH - LEFT - RIGHT) / Math.max(most, 1e-9);
            double end = LEFT + figure.median() * scale;
            svg.append("<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#333\">%s</text>\n"
                    .formatted(LEFT - 8, y + 16, escape(figure.name())));
            svg.append(String.format(
                    Locale.ROOT,
                    "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
                    LEFT,
                    y + 3,
                    Math.max(1, end - LEFT),
                    ROW - 8,
                    figure.name().contains("Roost") || figure.name().startsWith("roost") ? "#2a6f97" : "#a9b4bd"));
            svg.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#333\"/>%n",
                    LEFT + figure.rounds().getFirst() * scale,
                    y + ROW / 2 - 1,
                    LEFT + figure.rounds().getLast() * scale,
                    y + ROW / 2 - 1));
            svg.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%.1f\" y=\"%d\" fill=\"#333\">%s %s</text>%n",
                    LEFT + figure.rounds().getLast() * scale + 8,
                    y + 16,
                    BenchmarkReport.Figure.number(figure.median()),
                    escape(figure.unit())));
            y += ROW;
        }
        return svg.append("</svg>\n").toString();
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
