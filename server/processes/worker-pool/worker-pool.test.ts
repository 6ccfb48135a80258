import { aConcurrency } from "../../store/testing/factories.ts";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, vi } from "vitest";
import { bundleProgram } from "../../../scripts/bundle-program.ts";
import type { HarnessWorkflow, PoolHarness, Project } from "../testing/pool-harness.ts";
import { test } from "../testing/pool-test.ts";

vi.setConfig({ maxConcurrency: 3 });

const has = (pool: PoolHarness, id: string, kind: string) =>
  pool.until(async () => (await pool.read(id)).kinds.includes(kind));
const hang = "await new Promise(() => {});";
/** Waits in its second step for a mark of the test. */
const threeSteps: HarnessWorkflow = {
  code: `
    for (const name of ["one", "two", "three"]) await ctx.step(name, async () => {
      mark(name + " begins");
      if (name === "two" && marks().filter((line) => line === "two begins").length === 1) ${hang}
    });
    return "done";`,
};

describe("starting", () => {
  test("a queued run begins on a signal, within a fraction of the time between two checks of the store", async ({
    createProject,
    startPool,
    expect,
  }) => {
    const pool = await startPool(await createProject({ quick: { code: "return 1;" } }));
    await pool.end(await pool.start("quick"));
    const waits: number[] = [];
    // On a busy machine most of them wait for the processor.
    for (let n = 0; n < 5 || (n < 50 && Math.min(...waits) >= 40); n += 1) {
      const { run } = await pool.end(await pool.start("quick"));
      waits.push(Date.parse(run.startedAt ?? "") - Date.parse(run.createdAt));
    }
    expect(Math.min(...waits)).toBeLessThan(40);
  });

  test("runs that were queued while no process ran begin at the start", async ({
    createProject,
    startPool,
    expect,
  }) => {
    const made = await createProject({ quick: { code: "return 1;" } });
    const first = await startPool(made, { hasWorkers: false });
    const id = await first.start("quick");
    await first.close();
    const second = await startPool(made);
    expect((await second.end(id)).status).toBe("completed");
  });
});

describe.concurrent("a worker that is killed", () => {
  test("between steps: its run continues after the last finished step, in the same attempt, and no finished step is repeated", async ({
    createProject,
    startPool,
    expect,
  }) => {
    const pool = await startPool(await createProject({ work: threeSteps }));
    const id = await pool.start("work");
    await has(pool, id, "step_started two");
    for (const pid of await pool.workerPids()) process.kill(pid, "SIGKILL");
    const { run, kinds, story } = await pool.end(id);
    expect(run).toMatchObject({ status: "completed", output: "done", attempt: 1 });
    expect(await pool.project.marks()).toEqual(["one begins", "two begins", "two begins", "three begins"]);
    expect(kinds).toEqual(
      "queued, attempt_started, step_started one, step_completed one, step_started two, worker_lost, resumed, step_reused one, step_started two, step_completed two, step_started three, step_completed three, completed".split(
        ", ",
      ),
    );
    expect(story).toContain("killed by an external signal (SIGKILL)");
  });

  test("with everything else, by kill -9 of the whole group: after a restart its run continues at once", async ({
    createProject,
    startPool,
    onEnd,
    expect,
  }) => {
    const made = await createProject({ work: threeSteps });
    const group = await startPoolProcess(made, onEnd);
    const store = await startPool(made, { hasWorkers: false });
    const id = await store.start("work");
    await has(store, id, "step_started two");
    killGroup(group);
    const startedAt = Date.now();
    const again = await startPool(made);
    const { run, kinds, timeOf } = await again.end(id);
    expect(run).toMatchObject({ status: "completed", attempt: 1 });
    expect(kinds.filter((kind) => kind === "step_completed one")).toHaveLength(1);
    // Its lease would have lasted for 12 seconds.
    expect(timeOf("worker_lost") - startedAt).toBeLessThan(10_000);
    expect(again.notices).toEqual(["1 run of the stopped service continues."]);
  });

  test("while it is idle, again and again, is replaced each time, and does not count as a failed start", async ({
    createProject,
    startPool,
    expect,
  }) => {
    const pool = await startPool(await createProject({ quick: { code: "return 1;" } }));
    for (let n = 0; n < 3; n += 1) {
      await pool.end(await pool.start("quick"));
      await expect.poll(() => pool.ended).toHaveLength(n + 1);
      const [pid = -1] = await pool.workerPids();
      process.kill(pid, "SIGKILL");
      await pool.until(async () => !(await pool.workerPids()).includes(pid));
    }
    expect((await pool.end(await pool.start("quick"))).status).toBe("completed");
    expect(pool.notices.join("\n")).not.toMatch(/could not start|happens repeatedly/);
    expect(pool.notices).toHaveLength(3);
  });

  test("after its supervisor ended alone, exits too, and its run continues at the next start", async ({
    createProject,
    startPool,
    onEnd,
    expect,
  }) => {
    const made = await createProject({ work: threeSteps });
    const group = await startPoolProcess(made, onEnd);
    const store = await startPool(made, { hasWorkers: false });
    const id = await store.start("work");
    await has(store, id, "step_started two");
    const [pid = -1] = await store.workerPids();
    process.kill(group, "SIGKILL");
    await expect.poll(() => stateOf(pid)).toMatch(/^(Z.*)?$/);
    const again = await startPool(made);
    const { run, kinds } = await again.end(id);
    expect(run).toMatchObject({ status: "completed", attempt: 1 });
    expect(kinds.filter((kind) => kind === "step_completed one")).toHaveLength(1);
  });

  test("after its supervisor ended alone, is killed even if code blocks it", async ({
    createProject,
    startPool,
    onEnd,
    expect,
  }) => {
    const made = await createProject({ block: { code: `mark(String(process.pid)); blockForEver();` } });
    const group = await startPoolProcess(made, onEnd);
    const store = await startPool(made, { hasWorkers: false });
    await store.start("block");
    await expect.poll(() => made.marks()).toHaveLength(1);
    const [pid] = await made.marks();
    process.kill(group, "SIGKILL");
    await expect.poll(() => stateOf(Number(pid))).toMatch(/^(Z.*)?$/);
  });
});

describe.concurrent("canceling", () => {
  const waitForAbort = `ctx.signal.addEventListener("abort", () => mark(ctx.signal.reason.name)); mark("begun"); ${hang}`;

  test("a running run ends at once, and its code receives the abort signal", async ({
    createProject,
    startPool,
    expect,
  }) => {
    const pool = await startPool(await createProject({ work: { code: waitForAbort } }));
    const id = await pool.start("work");
    await expect.poll(() => pool.project.marks()).toContain("begun");
    expect(await pool.store.requestCancel(id, Date.now())).toBe("requested");
    pool.cancel(id);
    expect((await pool.end(id)).kinds.slice(-2)).toEqual(["cancel_requested", "canceled"]);
    expect(await pool.project.marks()).toEqual(["begun", "RunCanceled"]);
  });

  test("a queued run and a sleeping run never run again", async ({ createProject, startPool, expect }) => {
    const made = await createProject(
      {
        sleeper: { code: `mark("sleeper"); await ctx.sleep("nap", "1h");` },
        blocker: { code: `await until(() => marks().includes("free"));` },
        never: { code: `mark("never");` },
      },
      { workerConcurrency: 1 },
    );
    const pool = await startPool(made);
    const sleeper = await pool.start("sleeper");
    await pool.until(async () => (await pool.read(sleeper)).status === "waiting");
    const blocker = await pool.start("blocker");
    await has(pool, blocker, "attempt_started");
    const queued = await pool.start("never");
    expect(await pool.store.requestCancel(queued, Date.now())).toBe("canceled");
    expect(await pool.store.requestCancel(sleeper, Date.now())).toBe("canceled");
    await appendFile(join(made.dir, "marks.txt"), "free\n");
    await pool.end(blocker);
    expect([(await pool.read(queued)).status, (await pool.read(sleeper)).status]).toEqual(["canceled", "canceled"]);
    expect(await made.marks()).toEqual(["sleeper", "free"]);
  });
});

describe.concurrent("the bounds of a run", () => {
  test("an attempt that waits longer than its timeout is timed out after its last attempt", async ({
    createProject,
    startPool,
    expect,
  }) => {
    const pool = await startPool(await createProject({ work: { timeoutMs: 50, attempts: 2, code: hang } }));
    const { run, kinds } = await pool.end(await pool.start("work", { maxAttempts: 2 }));
    expect(run).toMatchObject({ status: "timed_out", attempt: 2, error: { name: "RunTimedOut" } });
    expect(kinds.filter((kind) => kind === "attempt_failed")).toHaveLength(2);
  });

  test("a failing run is tried again, and completes when it succeeds", async ({ createProject, startPool, expect }) => {
    const pool = await startPool(
      await createProject({
        work: { attempts: 3, code: `if (ctx.run.attempt < 3) throw new Error("not yet"); return ctx.run.attempt;` },
      }),
    );
    expect((await pool.end(await pool.start("work", { maxAttempts: 3 }))).run).toMatchObject({
      status: "completed",
      output: 3,
      attempt: 3,
    });
  });

  test("no more runs of a workflow than its concurrency are running, over two workers", async ({
    createProject,
    startPool,
    expect,
  }) => {
    const made = await createProject(
      {
        work: {
          concurrency: aConcurrency({ limit: 2 }),
          // The first run waits for the second: both are running.
          code: `mark("+"); await until(() => marks().length > 1); await new Promise((resolve) => setTimeout(resolve, 30)); mark("-");`,
        },
      },
      { workers: 2 },
    );
    const pool = await startPool(made);
    await pool.until(async () => (await pool.workerPids()).length === 2);
    const ids = await Promise.all(Array.from({ length: 12 }, () => pool.start("work")));
    for (const id of ids) expect((await pool.end(id)).status).toBe("completed");
    let underWay = 0;
    let most = 0;
    for (const mark of await made.marks()) most = Math.max(most, (underWay += mark === "+" ? 1 : -1));
    expect(most).toBe(2);
  });

  test("a sleeping run frees its slot for others, and wakes in time", async ({ createProject, startPool, expect }) => {
    const pool = await startPool(
      await createProject(
        { sleeper: { code: `await ctx.sleep("nap", 1500); return "rested";` }, other: { code: "return 1;" } },
        { workerConcurrency: 1 },
      ),
    );
    const sleeper = await pool.start("sleeper");
    await pool.until(async () => (await pool.read(sleeper)).status === "waiting");
    expect((await pool.end(await pool.start("other"))).status).toBe("completed");
    expect((await pool.read(sleeper)).status).toBe("waiting");
    const { run, kinds } = await pool.end(sleeper);
    expect(run).toMatchObject({ status: "completed", output: "rested" });
    expect(kinds).toEqual([
      "queued",
      "attempt_started",
      "sleep_started nap",
      "resumed",
      "sleep_finished nap",
      "completed",
    ]);
  });
});

describe.concurrent("leaving", () => {
  test("a shutdown aborts runs that do not end in its grace period; they return to the queue with the same attempt", async ({
    createProject,
    startPool,
    expect,
  }) => {
    const made = await createProject({
      work: threeSteps,
      short: { code: `await until(() => marks().includes("two begins")); return 1;` },
    });
    const pool = await startPool(made);
    const id = await pool.start("work");
    await has(pool, id, "step_started two");
    await pool.pool.close(100);
    expect((await pool.read(id)).run).toMatchObject({ status: "queued", attempt: 1 });
    expect(await pool.workerPids()).toEqual([]);
    await pool.close();
    const again = await startPool(made);
    const { run, kinds } = await again.end(id);
    expect(run).toMatchObject({ status: "completed", attempt: 1 });
    expect(kinds).not.toContain("worker_lost");
  });

  test("a worker that does not exit is killed, and its run continues without a failed attempt", async ({
    createProject,
    startPool,
    expect,
  }) => {
    const made = await createProject({
      work: { timeoutMs: 60_000, code: `if (marks().length === 0) { mark("blocks"); blockForEver(); } return "done";` },
    });
    const pool = await startPool(made);
    const id = await pool.start("work");
    await expect.poll(() => made.marks()).toContain("blocks");
    await pool.pool.close(0);
    expect((await pool.read(id)).run).toMatchObject({ status: "queued", attempt: 1 });
    await pool.close();
    const again = await startPool(made);
    expect((await again.end(id)).run).toMatchObject({ status: "completed", output: "done", attempt: 1 });
  });

  test("after a rebuild new runs execute the new code, and a run of the old code ends undisturbed", async ({
    createProject,
    startPool,
    expect,
  }) => {
    const made = await createProject({
      work: { code: `mark("old"); await until(() => marks().includes("new")); return "old";` },
    });
    const pool = await startPool(made);
    const old = await pool.start("work");
    await expect.poll(() => made.marks()).toContain("old");
    await made.write({ work: { code: `mark("new"); return "new";` } });
    await pool.pool.replaceAll(Promise.resolve(true)).done;
    expect((await pool.end(await pool.start("work"))).run.output).toBe("new");
    expect((await pool.end(old)).run).toMatchObject({ output: "old", attempt: 1 });
    await pool.until(async () => (await pool.workerPids()).length === 1);
  });

  test("if no worker starts at first with the build that web serves, runs wait for one; none executes the old code", async ({
    createProject,
    startPool,
    expect,
  }) => {
    const made = await createProject({ work: { code: `return "old";` } });
    const pool = await startPool(made);
    await writeFile(join(made.dir, ".signalbox", "manifest.json"), "{}");
    await pool.pool.replaceAll(Promise.resolve(true)).done;
    const id = await pool.start("work");
    await made.write({ work: { code: `return "new";` } });
    expect((await pool.end(id)).run.output).toBe("new");
  });

  test("if no worker starts with a build that web rejects, the previous workers continue", async ({
    createProject,
    startPool,
    expect,
  }) => {
    const made = await createProject({ work: { code: `return "old";` } });
    const pool = await startPool(made);
    await writeFile(join(made.dir, ".signalbox", "manifest.json"), "{}");
    await pool.pool.replaceAll(Promise.resolve(false)).done;
    expect((await pool.end(await pool.start("work"))).run.output).toBe("old");
  });
});

/** Empty if there is no process with this ID, `Z` if it has ended. */
const stateOf = (pid: number) =>
  spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has already ended.
  }
}

let poolProgram = "";
beforeAll(async () => {
  poolProgram = await bundleProgram(join(import.meta.dirname, "../testing/pool-process.ts"));
});

/** A pool in a process group of its own. Returns the id of the group, which is that of its supervising process. */
async function startPoolProcess(made: Project, onEnd: (cleanUp: () => void) => void): Promise<number> {
  const child = spawn(process.execPath, [poolProgram, made.dir], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("the pool did not start");
  onEnd(() => killGroup(pid));
  await once(child.stdout, "data");
  return pid;
}
