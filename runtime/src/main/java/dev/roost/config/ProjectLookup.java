package dev.roost.config;

import java.nio.file.Path;

/** Finds the project that a directory is in. */
public interface ProjectLookup {

    ProjectLookup NONE = directory -> Project.NONE;

    Project at(Path directory);
}
