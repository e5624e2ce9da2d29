/** A program with Roost in it. */
module dev.roost.examples.embed {
    requires dev.roost.runtime;
    requires static org.jspecify;
}
