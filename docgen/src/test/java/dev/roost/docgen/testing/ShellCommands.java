package dev.roost.docgen.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Splits a script into simple commands with their words; parses just enough of a shell for that. */
public final class ShellCommands {

    private static final Pattern ASSIGNMENT = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*=.*");
    private static final Set<String> BEFORE =
            Set.of("do", "then", "else", "if", "while", "until", "!", "time", "exec", "sudo");

    private final String text;
    private final List<List<String>> commands = new ArrayList<>();
    private final List<String> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean begun;
    private boolean redirected;
    private int at;

    private ShellCommands(String text) {
        this.text = text.replace("\\\n", " ");
    }

    public static List<List<String>> of(String script) {
        var lines = new ShellCommands(script);
        lines.read();
        return lines.commands;
    }

    private void read() {
        while (at < text.length()) {
            char c = text.charAt(at++);
            switch (c) {
                case '\'' -> quoted('\'');
                case '"' -> quoted('"');
                case '\\' -> {
                    begun = true;
                    if (at < text.length()) word.append(text.charAt(at++));
                }
                case '#' -> {
                    if (begun) word.append(c);
                    else while (at < text.length() && text.charAt(at) != '\n') at++;
                }
                case ' ', '\t' -> endWord();
                case '\n', ';', '|', '&', '(', ')' -> endCommand();
                case '>', '<' -> {
                    if (word.toString().matches("[0-9]+")) begun = false; // a stream number, not a word
                    endWord();
                    while (at < text.length() && (text.charAt(at) == '>' || text.charAt(at) == '&')) at++;
                    redirected = true;
                }
                case '$' -> substitution();
                default -> {
                    begun = true;
                    word.append(c);
                }
            }
        }
        endCommand();
    }

    private void quoted(char end) {
        begun = true;
        while (at < text.length() && text.charAt(at) != end) {
            char c = text.charAt(at++);
            if (end == '"' && c == '$') substitution();
            else if (end == '"' && c == '\\' && at < text.length()) word.append(text.charAt(at++));
            else word.append(c);
        }
        at++;
    }

    /** Also finds the commands inside of {@code $(…)}. */
    private void substitution() {
        begun = true;
        if (at >= text.length() || text.charAt(at) != '(') {
            word.append('$');
            return;
        }
        int open = 1;
        int from = ++at;
        while (at < text.length() && open > 0) {
            char c = text.charAt(at++);
            if (c == '(') open++;
            if (c == ')') open--;
        }
        commands.addAll(of(text.substring(from, at - 1)));
        word.append("SAID");
    }

    private void endWord() {
        if (begun && !redirected) words.add(word.toString());
        if (begun) redirected = false;
        word.setLength(0);
        begun = false;
    }

    private void endCommand() {
        endWord();
        redirected = false;
        while (!words.isEmpty()
                && (ASSIGNMENT.matcher(words.getFirst()).matches() || BEFORE.contains(words.getFirst())))
            words.removeFirst();
        if (words.size() > 2 && words.getFirst().equals("ssh")) {
            if (words.size() == 3) commands.addAll(of(words.get(2)));
            else commands.add(List.copyOf(words.subList(2, words.size())));
        } else if (!words.isEmpty()) commands.add(List.copyOf(words));
        words.clear();
    }
}
