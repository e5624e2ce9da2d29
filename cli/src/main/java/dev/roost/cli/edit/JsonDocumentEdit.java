package dev.roost.cli.edit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Edits a JSON object as text. An edit inserts or deletes one piece and leaves every other character alone; removing an added
 * piece restores the earlier text, unless the piece was added to an empty object that contains white space.
 */
public final class JsonDocumentEdit {

    static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final JsonMapper LENIENT = MAPPER.rebuild()
            .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS, JsonReadFeature.ALLOW_TRAILING_COMMA)
            .build();

    private final String text;
    private final JsonNode tree;
    private final JsonSpan.Container root;

    private JsonDocumentEdit(String text, JsonNode tree) {
        this.text = text;
        this.tree = tree;
        this.root = (JsonSpan.Container) JsonSpan.of(text);
    }

    /** A blank text counts as an empty object. */
    public static JsonDocumentEdit of(String text) {
        if (text.isBlank()) return of("{}\n");
        var tree = parse(text);
        if (!tree.isObject()) throw NotEditable.because("is valid JSON, but not an object");
        return new JsonDocumentEdit(text, tree);
    }

    private static JsonNode parse(String text) {
        String plain = text.startsWith("\uFEFF") ? text.substring(1) : text;
        try {
            return MAPPER.readTree(plain);
        } catch (JacksonException e) {
            if (isLenient(plain)) throw NotEditable.commented();
            throw invalid(e);
        }
    }

    private static boolean isLenient(String text) {
        try {
            return LENIENT.readTree(text).isObject();
        } catch (JacksonException e) {
            return false;
        }
    }

    /** Parses for reading only; comments are allowed. */
    public static JsonNode read(String text) {
        try {
            return LENIENT.readTree(text.startsWith("\uFEFF") ? text.substring(1) : text);
        } catch (JacksonException e) {
            throw invalid(e);
        }
    }

    private static NotEditable invalid(JacksonException e) {
        var location = e.getLocation();
        String place =
                location == null ? "" : " (line %d, column %d)".formatted(location.getLineNr(), location.getColumnNr());
        var message = String.valueOf(e.getOriginalMessage())
                .replaceAll("\\s*\\(?(start marker )?at \\[Source: [^\\]]*]\\)?", "");
        return NotEditable.because("is not valid JSON: %s%s".formatted(message, place));
    }

    public JsonNode tree() {
        return tree;
    }

    /** A JSON string. */
    public static String quoted(String text) {
        return MAPPER.getNodeFactory().stringNode(text).toString();
    }

    public String text() {
        return text;
    }

    public boolean isEmpty() {
        return root.items().isEmpty();
    }

    public Optional<JsonNode> at(List<String> path) {
        var node = tree;
        for (var name : path) node = node.isArray() ? node.path(Integer.parseInt(name)) : node.path(name);
        return node.isMissingNode() ? Optional.empty() : Optional.of(node);
    }

    /** Adds a member at the end of an object; creates missing parents. */
    public JsonDocumentEdit put(List<String> path, JsonNode value) {
        var parent = path.subList(0, path.size() - 1);
        var span = container(parent, '{');
        if (span.isPresent()) return add(span.get(), quoted(path.getLast()), value);
        return put(parent, MAPPER.createObjectNode().set(path.getLast(), value));
    }

    /** Adds an element at the end of an array; creates a missing array. */
    public JsonDocumentEdit append(List<String> path, JsonNode value) {
        var span = container(path, '[');
        if (span.isPresent()) return add(span.get(), "", value);
        return put(path, MAPPER.createArrayNode().add(value));
    }

    /** Removes a member; in an array, the element of that index. */
    public JsonDocumentEdit remove(List<String> path) {
        var parent = (JsonSpan.Container) find(path.subList(0, path.size() - 1)).orElseThrow();
        int index = index(parent, path.getLast());
        var items = parent.items();
        var item = items.get(index);
        if (items.size() == 1) return splice(parent.start() + 1, parent.end() - 1, "");
        if (index > 0) return splice(items.get(index - 1).end(), item.end(), "");
        return splice(item.start(), items.get(1).start(), "");
    }

    private Optional<JsonSpan.Container> container(List<String> path, char kind) {
        var span = find(path);
        if (span.isEmpty()) return Optional.empty();
        if (text.charAt(span.get().start()) == kind) return Optional.of((JsonSpan.Container) span.get());
        throw NotEditable.because("has a value at %s that is not %s"
                .formatted(String.join(".", path), kind == '{' ? "an object" : "an array"));
    }

    private Optional<JsonSpan> find(List<String> path) {
        JsonSpan span = root;
        var walked = new ArrayList<String>();
        for (var name : path) {
            if (!(span instanceof JsonSpan.Container inside))
                throw NotEditable.because("has a plain value at %s".formatted(String.join(".", walked)));
            int index = index(inside, name);
            if (index < 0) return Optional.empty();
            span = inside.items().get(index).value();
            walked.add(name);
        }
        return Optional.of(span);
    }

    private int index(JsonSpan.Container inside, String name) {
        boolean list = text.charAt(inside.start()) == '[';
        if (list && !name.matches("\\d+")) throw NotEditable.because("has a list where %s should be".formatted(name));
        if (list) return Integer.parseInt(name);
        return inside.named(name).map(inside.items()::indexOf).orElse(-1);
    }

    private JsonDocumentEdit add(JsonSpan.Container to, String name, JsonNode value) {
        var style = JsonStyle.of(text, root);
        String head = name.isEmpty() ? "" : name + style.colon();
        if (to.items().isEmpty()) return addFirst(style, to, head, value);
        var last = to.items().getLast();
        String between = text.substring(
                to.items().size() == 1
                        ? to.start()
                        : to.items().get(to.items().size() - 2).end(),
                last.start());
        if (!between.contains("\n"))
            return splice(last.end(), last.end(), style.inlineComma() + head + style.inline(value));
        String indent = JsonStyle.indent(text, last.start());
        return splice(last.end(), last.end(), "," + style.newline() + indent + head + style.print(value, indent));
    }

    private JsonDocumentEdit addFirst(JsonStyle style, JsonSpan.Container to, String head, JsonNode value) {
        int from = to.start() + 1;
        int until = to.end() - 1;
        boolean oneLine = !root.items().isEmpty() && !text.strip().contains("\n");
        if (oneLine) return splice(from, until, head + style.inline(value));
        String outer = JsonStyle.indent(text, to.start());
        String inner = outer + style.unit();
        return splice(
                from, until, style.newline() + inner + head + style.print(value, inner) + style.newline() + outer);
    }

    private JsonDocumentEdit splice(int from, int to, String piece) {
        return of(text.substring(0, from) + piece + text.substring(to));
    }
}
