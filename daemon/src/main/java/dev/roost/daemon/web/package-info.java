/** The page: the whole fleet, and each run, rendered here and kept up to date by server-sent events. */
@NullMarked
package dev.roost.daemon.web;

import org.jspecify.annotations.NullMarked;
