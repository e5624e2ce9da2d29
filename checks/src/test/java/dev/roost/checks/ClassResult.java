package dev.roost.checks;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The result of a test class.
 *
 * @param cpu CPU seconds of its JVM and of the children that the JVM has waited for
 * @param output the file with its output, if there was any
 */
record ClassResult(CheckEntry entry, List<CaseResult> cases, double seconds, double cpu, Optional<Path> output) {

    ClassResult {
        cases = List.copyOf(cases);
    }

    long count(CaseResult.Ending ending) {
        return cases.stream().filter(one -> one.ending() == ending).count();
    }
}
