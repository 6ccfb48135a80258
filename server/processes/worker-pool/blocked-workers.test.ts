import { describe, expect, vi } from "vitest";
import { readDueWork } from "../../ports/due-work.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { HarnessWorkflow, PoolHarness } from "../testing/pool-harness.ts";
import { test } from "../testing/pool-test.ts";

/** Runs whose code never lets go of its process, alone in it, while other runs are due. */

vi.setConfig({ maxConcurrency: 2 });

const hourMs = 3_600_000;
const quick: HarnessWorkflow = { code: `return "done";` };

/** Records warnings. */
function createRecorder() {
  const warnings: [message: string, fields: Record<string, unknown>][] = [];
  const warn = (message: string, fields: Record<string, unknown> = {}) => void warnings.push([message, fields]);
  return { warnings, logger: { ...silentLogger, warn } };
}

/** Queues runs as if a process with each of them and another run had crashed. */
async function queueIsolated(pool: PoolHarness, slugs: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const slug of slugs) ids.push(await pool.start(slug));
  const now = Date.now();
  const slots = ids.map(() => "wrk_lost");
  const runs = await pool.store.claimRuns({ slots, now, leaseMs: hourMs, limits: new Map(), pool: "shared" });
  const fate = { kind: "isolate" } as const;
  await pool.store.releaseLostRuns({
    workerId: "wrk_lost",
    now,
    message: "It crashed.",
    runs: runs.map(({ id }) => ({ id, fate })),
  });
  return ids;
}

test("runs that take all slots and wait for another run are noticed, with the number of due runs and the reason", async ({
  createProject,
  startPool,
}) => {
  const project = await createProject(
    {
      parent: { timeoutMs: hourMs, code: `mark("waits"); await until(() => marks().includes("child"));` },
      child: { timeoutMs: hourMs, code: `mark("child");` },
    },
    { workerConcurrency: 2 },
  );
  const pool = await startPool(project);
  const parents = [await pool.start("parent"), await pool.start("parent")];
  await pool.until(async () => (await project.marks()).filter((line) => line === "waits").length === 2);
  await pool.start("child");
  const blocked = async () => (await readDueWork({ store: pool.store, manifest: null, now: Date.now() })).blocked;
  await expect.poll(blocked).toMatchObject([{ pool: "shared", runs: 1, reason: "busy", workers: 1, isOutage: false }]);
  expect(await Promise.all(parents.map(async (id) => (await pool.read(id)).status))).toEqual(["running", "running"]);
});

describe.concurrent("a worker that is blocked by its only run", () => {
  test("makes room for due runs: it is ended, its run continues alone in a process, and the log names the run", async ({
    createProject,
    startPool,
  }) => {
    const { warnings, logger } = createRecorder();
    const project = await createProject({
      loop: { timeoutMs: hourMs, code: `mark("loops"); for (;;) {}` },
      quick: { ...quick, timeoutMs: hourMs },
    });
    const pool = await startPool(project, { logger });
    const loopId = await pool.start("loop");
    await pool.until(async () => (await project.marks()).includes("loops"));
    // The host assigns nothing more to a worker that does not respond.
    await expect.poll(async () => (await pool.store.listWorkers({ seenSince: 0 }))[0]?.isResponsive).toBe(false);
    const ids = await Promise.all(Array.from({ length: 5 }, () => pool.start("quick")));
    for (const id of ids) expect((await pool.end(id)).run).toMatchObject({ status: "completed", output: "done" });
    const { run, kinds, story } = await pool.read(loopId);
    expect(run).toMatchObject({ attempt: 1, finishedAt: null });
    expect(kinds).toContain("worker_lost");
    expect(story).toContain("event loop was blocked");
    const logged = warnings.filter(([message]) => message.includes("blocks the event loop"));
    expect(logged).toMatchObject([[expect.anything(), { runId: loopId, workflow: "loop", waitingRuns: 5 }]]);
  });

  test("is not ended while no run waits for it", async ({ createProject, startPool }) => {
    const project = await createProject({
      long: {
        timeoutMs: hourMs,
        code: `mark("begins"); const cell = new Int32Array(new SharedArrayBuffer(4)); Atomics.wait(cell, 0, 0, 20_000); return "computed";`,
      },
    });
    const pool = await startPool(project);
    const { run, kinds } = await pool.end(await pool.start("long"));
    expect(run).toMatchObject({ status: "completed", output: "computed" });
    expect(kinds).not.toContain("worker_lost");
  });

  test("if it is isolated, makes room for isolated runs: one of the blocked runs fails, and its error says why", async ({
    createProject,
    startPool,
  }) => {
    const project = await createProject({ loop: { timeoutMs: hourMs, code: "blockForEver();" }, quick });
    const preparing = await startPool(project, { hasWorkers: false });
    const loops = await queueIsolated(preparing, ["loop", "loop", "loop", "loop"]);
    const [quickId = ""] = await queueIsolated(preparing, ["quick"]);
    await preparing.close();
    const pool = await startPool(project);
    expect((await pool.end(quickId)).run).toMatchObject({ status: "completed", output: "done" });
    const ended = await Promise.all(loops.map((id) => pool.read(id)));
    expect(ended.map(({ status }) => status).sort()).toEqual(["failed", "running", "running", "running"]);
    const failed = ended.find(({ status }) => status === "failed");
    expect(failed?.run.error).toMatchObject({
      name: "WorkerCrashed",
      message: expect.stringContaining("while 1 other run waited for a process of its own"),
    });
  });
});
