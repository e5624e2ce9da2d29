package dev.roost.shelf;

import java.util.regex.Pattern;

/** What a file is called in its run's directory: {@code output.md}, {@code 1/result.md}. It leads nowhere else. */
public record ShelfName(String text) implements Comparable<ShelfName> {

    private static final String PART = "[A-Za-z0-9_][A-Za-z0-9._-]{0,99}";
    private static final Pattern SHAPE = Pattern.compile(PART + "(/" + PART + "){0,3}");

    public static final ShelfName OUTPUT = new ShelfName("output.md");
    public static final ShelfName TRANSCRIPT = new ShelfName("transcript.jsonl");

    /** The agent's own conversation, and its work, as it takes them along to another machine. */
    public static final ShelfName CONVERSATION = new ShelfName("conversation.luggage");

    public static final ShelfName WORK = new ShelfName("work.luggage");

    public ShelfName {
        if (!SHAPE.matcher(text).matches())
            throw new IllegalArgumentException("not a name of a file in a run's directory: " + text);
    }

    /** The final text of an attempt. */
    public static ShelfName result(int attempt) {
        return new ShelfName(attempt + "/result.md");
    }

    /** It is for the node that goes on with the run, and nobody reads it before. */
    public boolean isLuggage() {
        return equals(CONVERSATION) || equals(WORK);
    }

    @Override
    public int compareTo(ShelfName other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
