/** What leaves the daemon without anybody asking: notices by command and webhook, and sessions continued without their user. */
@NullMarked
package dev.roost.daemon.outward;

import org.jspecify.annotations.NullMarked;
