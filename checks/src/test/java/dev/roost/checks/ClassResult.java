package dev.roost.checks;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How a class of tests ended.
 *
 * @param cpu the seconds of CPU of its JVM and of those of its children that the JVM has waited for
 * @param output the file with what it wrote, if it wrote anything
 */
record ClassResult(CheckEntry entry, List<CaseResult> cases, double seconds, double cpu, Optional<Path> output) {

    ClassResult {
        cases = List.copyOf(cases);
    }

    long count(CaseResult.Ending ending) {
        return cases.stream().filter(one -> one.ending() == ending).count();
    }
}
