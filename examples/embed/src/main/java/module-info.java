/** A program that embeds Roost. */
module dev.roost.examples.embed {
    requires dev.roost.runtime;
    requires static org.jspecify;
}
