package dev.roost.service.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Random;

/**
 * The steps of one agent in its worktree. The agent takes only allowed steps, and copies the worktree after each step to a
 * directory outside of it.
 */
public record WorktreeAgentPlan(Path dir, int steps) {

    /** The script of an agent with Claude Code's protocol. After a kill it repeats the unfinished step. */
    public static final String AGENT = """
            init
            state() { rm -rf "$PLAN/tmp"; cp -a . "$PLAN/tmp"; rm -rf "$PLAN/$1"; mv "$PLAN/tmp" "$PLAN/$1"; }
            state "begin-$ROOST_ATTEMPT"
            n=$(cat "$PLAN/done"); say "from-$n"
            while [ "$n" -lt "$(cat "$PLAN/steps")" ]; do
                while [ "$(cat "$PLAN/allowed")" -le "$n" ]; do sleep 0.02; done
                n=$((n + 1))
                sh "$PLAN/step-$n" >>"$PLAN/log" 2>&1 </dev/null
                state "state-$n"
                echo "$n" >"$PLAN/done.tmp"; mv "$PLAN/done.tmp" "$PLAN/done"
            done
            result finished
            """;

    public static WorktreeAgentPlan write(Path dir, Random random) throws IOException {
        int steps = 5 + random.nextInt(6);
        Files.createDirectory(dir);
        for (int n = 1; n <= steps; n++) Files.writeString(dir.resolve("step-" + n), step(random));
        Files.writeString(dir.resolve("steps"), steps + "\n");
        var plan = new WorktreeAgentPlan(dir, steps);
        plan.put("allowed", 0);
        plan.put("done", 0);
        return plan;
    }

    private static String step(Random random) {
        var text = Long.toHexString(random.nextLong());
        int k = 1 + random.nextInt(4);
        return switch (random.nextInt(23)) {
            case 0, 1, 2 -> "echo %s > f%d".formatted(text, k);
            case 3 -> "echo %s >> a.txt".formatted(text);
            case 4 -> "mkdir -p d%d/e; echo %s > d%d/e/g; echo %s > 'd%d/odd\nname'".formatted(k, text, k, text, k);
            case 5 -> "rm -rf f%d d%d".formatted(k, k);
            case 6 -> "printf '%s\\r\\n' > crlf.txt".formatted(text);
            case 7 -> "echo %s > s%d; chmod +x s%d; ln -sf s%d link".formatted(text, k, k, k);
            case 8 -> "echo %s > k%d.secret".formatted(text, k);
            case 9, 10, 11 -> "git add -A; git commit -qm %s".formatted(text);
            case 12 -> "echo %s > f%d; git add f%d; echo later >> f%d".formatted(text, k, k, k);
            case 13 -> "echo %s >> b.txt; git commit -qa --amend -m %s".formatted(text, text);
            case 14 -> "git checkout -q -b side-%s".formatted(text);
            case 15 -> "git checkout -q --detach; echo %s > loose; git add loose; git commit -qm loose".formatted(text);
            case 16 -> "git checkout -q \"roost/$ROOST_RUN_ID\"";
            case 17 -> "git reset -q --hard HEAD~1";
            case 18 -> "git reset -q --soft HEAD~1";
            case 19 -> "git rebase -q main";
            case 20 -> "git merge -q main";
            case 21 -> "git rebase --abort || git merge --abort || git stash -q -u";
            default -> "git mv b.txt moved.txt";
        };
    }

    public void allow(int upTo) {
        put("allowed", Math.min(upTo, steps));
    }

    public int done() {
        return get("done");
    }

    /** Whether the agent has done all allowed steps, so that it waits or has ended. */
    public boolean isIdle() {
        return done() >= get("allowed");
    }

    public int allowed() {
        return get("allowed");
    }

    public Path begin(int attempt) {
        return dir.resolve("begin-" + attempt);
    }

    public Path state(int n) {
        return dir.resolve("state-" + n);
    }

    private void put(String name, int value) {
        try {
            Files.writeString(dir.resolve(name + ".new"), value + "\n");
            Files.move(dir.resolve(name + ".new"), dir.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int get(String name) {
        try {
            return Integer.parseInt(Files.readString(dir.resolve(name)).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
