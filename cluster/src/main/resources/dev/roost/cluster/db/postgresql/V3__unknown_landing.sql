-- How far a run's code got can also be unknown: git cannot read its worktree.

ALTER TABLE work DROP CONSTRAINT work_landing_check;
ALTER TABLE work ADD CONSTRAINT work_landing_check
    CHECK (landing IN ('nothing', 'uncommitted', 'committed', 'pushed', 'pr_open', 'merged', 'unknown'));
