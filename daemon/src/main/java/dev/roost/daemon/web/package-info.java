/** Renders the web page and its live updates. */
@NullMarked
package dev.roost.daemon.web;

import org.jspecify.annotations.NullMarked;
