/** Roost as a library: background runs that outlive the program which asked for them. */
module dev.roost.runtime {
    requires static org.jspecify;
    requires flyway.core;
    requires java.logging;
    requires java.sql;
    requires jdk.management;
    requires org.xerial.sqlitejdbc;
    requires tools.jackson.databind;

    exports dev.roost;
    exports dev.roost.agent;
    exports dev.roost.run;
}
