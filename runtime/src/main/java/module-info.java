/** Roost as a library: background runs that outlive the program which asked for them. */
@SuppressWarnings("requires-automatic") // Flyway has no name of its own
module dev.roost.runtime {
    requires static transitive org.jspecify;
    requires flyway.core;
    requires java.logging;
    requires java.sql;
    requires jdk.management;
    requires org.xerial.sqlitejdbc;
    requires tools.jackson.databind;

    exports dev.roost;
    exports dev.roost.agent;
    exports dev.roost.base;
    exports dev.roost.model;
}
