package dev.roost.docgen;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** The pages of docs/reference, by their names. */
final class Reference {

    private static final String MARK =
            "<!-- Written from the code by `./build reference`. What is changed here is lost. -->\n\n";

    private Reference() {}

    static Map<String, String> pages(Path root) {
        var pages = new TreeMap<String, String>();
        pages.put("commands.md", CommandsPage.text());
        pages.put("configuration.md", ConfigurationPage.text());
        pages.put("tools.md", ToolsPage.text());
        pages.put("api.md", ApiPage.text());
        pages.put("events.md", EventsPage.text());
        pages.put("causes.md", CausesPage.text());
        pages.put("errors.md", ErrorsPage.text(root));
        pages.replaceAll((name, text) -> MARK + text.strip() + "\n");
        return pages;
    }
}
