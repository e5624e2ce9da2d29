package dev.roost.conformance;

/** What one answer of the model is said to have cost, in tokens. */
record Usage(int input, int output) {

    static final Usage USUAL = new Usage(100, 20);

    int total() {
        return input + output;
    }
}
