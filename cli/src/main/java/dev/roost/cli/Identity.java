package dev.roost.cli;

/** As whom the command acts: inside a run as that run's owner, in a plain shell as its user, who is also the operator. */
record Identity(String owner, boolean operator) {

    static Identity own() {
        String owner = System.getenv("ROOST_OWNER");
        if (owner != null && !owner.isEmpty()) return new Identity(owner, false);
        return new Identity("cli:" + System.getProperty("user.name"), true);
    }
}
