package dev.roost.sharedfiles;

import java.util.regex.Pattern;

/** What a file is called in its run's directory: {@code output.md}, {@code 1/result.md}. It leads nowhere else. */
public record SharedFileName(String text) implements Comparable<SharedFileName> {

    private static final String PART = "[A-Za-z0-9_][A-Za-z0-9._-]{0,99}";
    private static final Pattern SHAPE = Pattern.compile(PART + "(/" + PART + "){0,3}");

    public static final SharedFileName OUTPUT = new SharedFileName("output.md");
    public static final SharedFileName TRANSCRIPT = new SharedFileName("transcript.jsonl");

    /** The agent's own conversation, and its work, as it takes them along to another machine. */
    public static final SharedFileName CONVERSATION = new SharedFileName("conversation.luggage");

    public static final SharedFileName WORK = new SharedFileName("work.luggage");

    public SharedFileName {
        if (!SHAPE.matcher(text).matches())
            throw new IllegalArgumentException("not a name of a file in a run's directory: " + text);
    }

    /** The final text of an attempt. */
    public static SharedFileName result(int attempt) {
        return new SharedFileName(attempt + "/result.md");
    }

    /** It is for the node that goes on with the run, and nobody reads it before. */
    public boolean isTransfer() {
        return equals(CONVERSATION) || equals(WORK);
    }

    @Override
    public int compareTo(SharedFileName other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
