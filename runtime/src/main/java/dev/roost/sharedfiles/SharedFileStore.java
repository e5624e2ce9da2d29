package dev.roost.sharedfiles;

import dev.roost.model.RunId;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps files of runs where every node finds them. The attempt fences: once a later attempt has written, or taken the run,
 * an older one changes nothing. All of these throw {@link dev.roost.base.Broken} while the shelf cannot be reached; what was
 * asked then has happened or not, and may be asked again.
 */
public interface SharedFileStore {

    /**
     * From now on these attempts or later ones write, beginning each of these files at its length: what the shelf has beyond
     * is cut off. All in one commit. Answers for each with the lengths the shelf has then, 0 for what it lacks; nothing if a
     * later attempt was here.
     */
    List<Optional<Map<SharedFileName, Long>>> claimWriting(List<WriterClaim> all);

    /** Adds to files that grow, all in one commit. What is there already changes nothing. */
    List<ChunkResult> append(List<FileChunk> pieces);

    /** Replaces a whole file, which readers see all at once; answers with its version, or nothing if fenced. */
    Optional<Long> put(RunId run, int attempt, SharedFileName name, InputStream content) throws IOException;

    /** All files of a run. */
    List<SharedFile> list(RunId run);

    /**
     * At most {@code most} bytes from there on; none at the end. Nothing if the file is gone, or has another version by now.
     */
    Optional<byte[]> read(RunId run, SharedFileName name, long version, long from, int most);

    /** Removes the files of runs that were pruned, by whomever; answers how many runs that were. */
    int deletePruned();

    default Optional<Map<SharedFileName, Long>> claimWriting(
            RunId run, int attempt, Map<SharedFileName, Long> lengths) {
        return claimWriting(List.of(new WriterClaim(run, attempt, lengths))).getFirst();
    }

    default Optional<SharedFile> find(RunId run, SharedFileName name) {
        return list(run).stream().filter(file -> file.name().equals(name)).findFirst();
    }

    /** How much the shelf has of a file. */
    default long length(RunId run, SharedFileName name) {
        return find(run, name).map(SharedFile::length).orElse(0L);
    }

    default ChunkResult append(RunId run, int attempt, SharedFileName name, long from, byte[] bytes) {
        return append(List.of(new FileChunk(run, attempt, name, from, bytes))).getFirst();
    }
}
