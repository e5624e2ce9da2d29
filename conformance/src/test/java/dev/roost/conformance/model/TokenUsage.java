package dev.roost.conformance.model;

/** The reported tokens of an answer of the model. */
record TokenUsage(int input, int output) {

    static final TokenUsage USUAL = new TokenUsage(100, 20);

    int total() {
        return input + output;
    }
}
