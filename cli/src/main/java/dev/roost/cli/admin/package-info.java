/** Commands on daemon, nodes, tokens, ledger and machine, one class each. */
@NullMarked
package dev.roost.cli.admin;

import org.jspecify.annotations.NullMarked;
