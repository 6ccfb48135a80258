import { test as base } from "vitest";
import { manyCleanups } from "../../../scripts/cleanups.ts";
import { type PoolHarness, type Project, createProject, startPool } from "./pool-harness.ts";

/** A test whose projects and pools are removed when it ends. Safe to run concurrently. */
export const test = base
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which other fixtures are needed.
  .extend("onEnd", ({}, { onCleanup }) => manyCleanups(onCleanup))
  .extend("createProject", ({ onEnd }) => async (...given: Parameters<typeof createProject>): Promise<Project> => {
    const project = await createProject(...given);
    onEnd(project.remove);
    return project;
  })
  .extend("startPool", ({ onEnd }) => async (...given: Parameters<typeof startPool>): Promise<PoolHarness> => {
    const pool = await startPool(...given);
    onEnd(pool.close);
    return pool;
  });
