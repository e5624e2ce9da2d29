/** Figures, comparisons and charts; knows none of the systems under measurement. */
@NullMarked
package dev.roost.bench.report;

import org.jspecify.annotations.NullMarked;
