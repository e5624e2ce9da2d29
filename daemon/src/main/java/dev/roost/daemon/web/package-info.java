/** The page. */
@NullMarked
package dev.roost.daemon.web;

import org.jspecify.annotations.NullMarked;
