/** One class a command on daemon, nodes, tokens, ledger, machine. */
@NullMarked
package dev.roost.cli.admin;

import org.jspecify.annotations.NullMarked;
