import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { openFiles } from "../testing/open-files.ts";
import { test } from "../testing/pool-test.ts";

test("a worker has no file of the store open", async ({ createProject, startPool, expect }) => {
  const made = await createProject({ quick: { code: "return 1;" } });
  const pool = await startPool(made);
  await pool.end(await pool.start("quick"));
  const [pid = -1] = await pool.workerPids();
  const ofStore = (file: string) => file.startsWith(join(made.dir, ".signalbox/signalbox.db"));
  expect(openFiles(process.pid).filter(ofStore)).not.toEqual([]);
  expect(openFiles(pid).filter(ofStore)).toEqual([]);
});

test("a restart of the process with the store interrupts no step and repeats none, and the workers stay", async ({
  createProject,
  startPool,
  expect,
}) => {
  const code = `
    for (const name of ["one", "two", "three"]) await ctx.step(name, async () => {
      mark(name);
      if (name === "two") await until(() => marks().includes("continue"));
    });
    return "done";`;
  const made = await createProject({ work: { code } });
  const pool = await startPool(made);
  const id = await pool.start("work");
  await expect.poll(() => made.marks()).toEqual(["one", "two"]);
  const pids = await pool.workerPids();
  await pool.restartHost();
  await appendFile(join(made.dir, "marks.txt"), "continue\n");
  const { run, kinds } = await pool.end(id);
  expect(run).toMatchObject({ status: "completed", output: "done", attempt: 1 });
  expect(await made.marks()).toEqual(["one", "two", "continue", "three"]);
  expect(kinds).not.toContain("worker_lost");
  expect((await pool.end(await pool.start("work"))).status).toBe("completed");
  expect(await pool.workerPids()).toEqual(pids);
});
