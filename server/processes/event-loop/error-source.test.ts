import { expect } from "vitest";
import { buildProject } from "../../../cli/build/build-project.ts";
import { makeProject, smallProject } from "../../../cli/build/testing/make-project.ts";
import { createProjectAt } from "../testing/pool-harness.ts";
import { test } from "../testing/pool-test.ts";

test("a run that failed in a worker shows the line of the user's own file that threw", async ({ startPool }) => {
  const projectDir = makeProject(smallProject);
  expect((await buildProject({ projectDir })).ok).toBe(true);
  const pool = await startPool(createProjectAt(projectDir));
  const id = await pool.start("receipt", { input: { order: "lost" } });
  expect((await pool.end(id)).run).toMatchObject({ status: "failed", error: { message: "the mail server is gone" } });
  const timeline = await pool.store.listTimeline(id, { after: 0, limit: 100 });
  const sources = timeline.filter(({ kind }) => kind === "attempt_failed" || kind === "failed").map(({ data }) => data);
  const source = {
    file: "lib/send.ts",
    line: 4,
    column: 11,
    lines: expect.arrayContaining([{ number: 4, text: expect.stringContaining("the mail server is gone") }]),
  };
  expect(sources).toEqual([{ source }, { source }]);
});
