package dev.roost.sharedfiles;

import dev.roost.model.RunId;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Stores files of runs for all nodes. The attempt number fences writers: once a later attempt has written or claimed the run, an
 * earlier one changes nothing. All methods throw {@link dev.roost.base.Broken} while the store cannot be reached; then the
 * operation may or may not have happened, and may be repeated.
 */
public interface SharedFileStore {

    /**
     * Makes these attempts the writers, and truncates each stored file to the given length, all in one commit. Returns for each
     * claim the lengths in the store, 0 for a missing file; empty if a later attempt has claimed the run.
     */
    List<Optional<Map<SharedFileName, Long>>> claimWriting(List<WriterClaim> claims);

    /** Appends to growing files, all in one commit. Bytes that are already stored change nothing. */
    List<ChunkResult> append(List<FileChunk> chunks);

    /** Replaces a whole file atomically; returns its version, or empty if the attempt is fenced. */
    Optional<Long> put(RunId run, int attempt, SharedFileName name, InputStream content) throws IOException;

    /** All files of a run. */
    List<SharedFile> list(RunId run);

    /**
     * At most {@code most} bytes starting at {@code from}; no bytes at the end. Empty if the file or this version is gone.
     */
    Optional<byte[]> read(RunId run, SharedFileName name, long version, long from, int most);

    /** Removes the files of runs that any node has pruned; returns the number of these runs. */
    int deletePruned();

    default Optional<Map<SharedFileName, Long>> claimWriting(
            RunId run, int attempt, Map<SharedFileName, Long> lengths) {
        return claimWriting(List.of(new WriterClaim(run, attempt, lengths))).getFirst();
    }

    default Optional<SharedFile> find(RunId run, SharedFileName name) {
        return list(run).stream().filter(file -> file.name().equals(name)).findFirst();
    }

    /** The length of a file in the store; 0 if it is missing. */
    default long length(RunId run, SharedFileName name) {
        return find(run, name).map(SharedFile::length).orElse(0L);
    }

    default ChunkResult append(RunId run, int attempt, SharedFileName name, long from, byte[] bytes) {
        return append(List.of(new FileChunk(run, attempt, name, from, bytes))).getFirst();
    }
}
