package dev.roost.conformance.model;

/** What one answer of the model is said to have cost, in tokens. */
record TokenUsage(int input, int output) {

    static final TokenUsage USUAL = new TokenUsage(100, 20);

    int total() {
        return input + output;
    }
}
