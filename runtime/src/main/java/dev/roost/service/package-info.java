/** What surfaces may call: the facade and one class per use case; no SQL, no git, no process. */
@NullMarked
package dev.roost.service;

import org.jspecify.annotations.NullMarked;
