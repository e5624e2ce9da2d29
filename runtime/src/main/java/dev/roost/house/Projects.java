package dev.roost.house;

import java.nio.file.Path;

/** Which project a directory is in. */
public interface Projects {

    Projects NONE = directory -> Project.NONE;

    Project at(Path directory);
}
