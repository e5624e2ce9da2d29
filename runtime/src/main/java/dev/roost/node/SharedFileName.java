package dev.roost.node;

import java.util.regex.Pattern;

/** The name of a file relative to its run's directory, as {@code output.md} or {@code 1/result.md}. It cannot leave it. */
public record SharedFileName(String text) implements Comparable<SharedFileName> {

    private static final String PART = "[A-Za-z0-9_][A-Za-z0-9._-]{0,99}";
    private static final Pattern SHAPE = Pattern.compile(PART + "(/" + PART + "){0,3}");

    public static final SharedFileName OUTPUT = new SharedFileName("output.md");
    public static final SharedFileName TRANSCRIPT = new SharedFileName("transcript.jsonl");

    /** The transfer bundle with the agent's conversation. */
    public static final SharedFileName CONVERSATION = new SharedFileName("conversation.luggage");

    /** The transfer bundle with the work of the agent. */
    public static final SharedFileName WORK = new SharedFileName("work.luggage");

    public SharedFileName {
        if (!SHAPE.matcher(text).matches())
            throw new IllegalArgumentException("not the name of a file in a run's directory: " + text);
    }

    /** The result of an attempt. */
    public static SharedFileName result(int attempt) {
        return new SharedFileName(attempt + "/result.md");
    }

    /** Whether the file is a transfer bundle, which only the node that continues the run reads. */
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
