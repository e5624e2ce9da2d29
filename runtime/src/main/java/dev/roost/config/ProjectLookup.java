package dev.roost.config;

import java.nio.file.Path;

/** Which project a directory is in. */
public interface ProjectLookup {

    ProjectLookup NONE = directory -> Project.NONE;

    Project at(Path directory);
}
