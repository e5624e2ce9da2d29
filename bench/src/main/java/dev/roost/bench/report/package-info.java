/** What was measured as figures, comparisons and charts; knows nothing that is measured. */
@NullMarked
package dev.roost.bench.report;

import org.jspecify.annotations.NullMarked;
