package dev.roost.shelf;

import dev.roost.run.RunId;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps files of runs where every node finds them. The attempt fences: once a later attempt has written, or taken the run,
 * an older one changes nothing. All of these throw {@link dev.roost.run.Broken} while the shelf cannot be reached; what was
 * asked then has happened or not, and may be asked again.
 */
public interface Shelf {

    /**
     * From now on these attempts or later ones write, beginning each of these files at its length: what the shelf has beyond
     * is cut off. All in one commit. Answers for each with the lengths the shelf has then, 0 for what it lacks; nothing if a
     * later attempt was here.
     */
    List<Optional<Map<ShelfName, Long>>> take(List<Taking> all);

    /** Adds to files that grow, all in one commit. What is there already changes nothing. */
    List<Answer> append(List<Piece> pieces);

    /** Replaces a whole file, which readers see all at once; answers with its version, or nothing if fenced. */
    Optional<Long> put(RunId run, int attempt, ShelfName name, InputStream content) throws IOException;

    /** All files of a run. */
    List<Kept> list(RunId run);

    /**
     * At most {@code most} bytes from there on; none at the end. Nothing if the file is gone, or has another version by now.
     */
    Optional<byte[]> read(RunId run, ShelfName name, long version, long from, int most);

    /** Removes the files of runs that were pruned, by whomever; answers how many runs that were. */
    int forgetPruned();

    default Optional<Map<ShelfName, Long>> take(RunId run, int attempt, Map<ShelfName, Long> lengths) {
        return take(List.of(new Taking(run, attempt, lengths))).getFirst();
    }

    default Optional<Kept> find(RunId run, ShelfName name) {
        return list(run).stream().filter(kept -> kept.name().equals(name)).findFirst();
    }

    /** How much the shelf has of a file. */
    default long length(RunId run, ShelfName name) {
        return find(run, name).map(Kept::length).orElse(0L);
    }

    default Answer append(RunId run, int attempt, ShelfName name, long from, byte[] bytes) {
        return append(List.of(new Piece(run, attempt, name, from, bytes))).getFirst();
    }
}
