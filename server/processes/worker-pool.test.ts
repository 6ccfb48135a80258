import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { packageRoot } from "../paths.ts";
import { type HarnessWorkflow, type PoolHarness, type Project, closePools, createProject, startPool } from "./testing/pool-harness.ts";

// Processes start slowly on a machine that is busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });

const projects: Project[] = [];
const groups: number[] = [];

afterEach(async () => {
  for (const pid of groups.splice(0)) killGroup(pid);
  await closePools();
  await Promise.all(projects.splice(0).map((project) => project.remove()));
});

async function project(workflows: Record<string, HarnessWorkflow>, settings: Parameters<typeof createProject>[1] = {}): Promise<Project> {
  const made = await createProject(workflows, settings);
  projects.push(made);
  return made;
}

const has = (pool: PoolHarness, id: string, kind: string) => pool.until(async () => (await pool.read(id)).kinds.includes(kind));
const hang = "await new Promise(() => {});";
/** Waits in its second step for a mark that the test makes. */
const threeSteps: HarnessWorkflow = {
  code: `
    for (const name of ["one", "two", "three"]) await ctx.step(name, async () => {
      mark(name + " begins");
      if (name === "two" && marks().filter((line) => line === "two begins").length === 1) ${hang}
    });
    return "done";`,
};

describe("starting", () => {
  test("a queued run begins by a signal, within a fraction of the time between two looks at the store", async () => {
    const pool = await startPool(await project({ quick: { code: "return 1;" } }));
    await pool.end(await pool.start("quick"));
    const waits: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { run } = await pool.end(await pool.start("quick"));
      waits.push(Date.parse(run.startedAt ?? "") - Date.parse(run.createdAt));
    }
    expect(Math.min(...waits)).toBeLessThan(40);
  });

  test("what was queued while nothing ran begins at the start", async () => {
    const made = await project({ quick: { code: "return 1;" } });
    const first = await startPool(made);
    await first.pool.close(0);
    const id = await first.start("quick");
    await first.close();
    const second = await startPool(made);
    expect((await second.end(id)).status).toBe("completed");
  });
});

describe("a worker that is killed", () => {
  test("between steps: its run goes on after the last finished step, in the same attempt, and no finished step is repeated", async () => {
    const pool = await startPool(await project({ work: threeSteps }));
    const id = await pool.start("work");
    await has(pool, id, "step_started two");
    for (const pid of await pool.workerPids()) process.kill(pid, "SIGKILL");
    const { run, kinds, story } = await pool.end(id);
    expect(run).toMatchObject({ status: "completed", output: "done", attempt: 1 });
    expect(await pool.project.marks()).toEqual(["one begins", "two begins", "two begins", "three begins"]);
    expect(kinds).toEqual(
      "queued, attempt_started, step_started one, step_completed one, step_started two, worker_lost, resumed, step_reused one, step_started two, step_completed two, step_started three, step_completed three, completed".split(", "),
    );
    expect(story).toContain("killed from outside (SIGKILL)");
  });

  test("with everything else, by kill -9 of the whole group: after a restart its run goes on at once", async () => {
    const made = await project({ work: threeSteps });
    const group = await startPoolProcess(made);
    const store = await startPool(made);
    await store.pool.close(0);
    const id = await store.start("work");
    await has(store, id, "step_started two");
    killGroup(group);
    const again = await startPool(made);
    const restartedAt = Date.now();
    const { run, kinds } = await again.end(id);
    expect(run).toMatchObject({ status: "completed", attempt: 1 });
    expect(kinds.filter((kind) => kind === "step_completed one")).toHaveLength(1);
    // Its lease would have lasted for 12 seconds.
    expect(Date.now() - restartedAt).toBeLessThan(10_000);
    expect(again.notices).toEqual(["1 run goes on where the service was stopped."]);
  });

  test("while it is idle, again and again, is replaced each time, and is not taken for one that cannot start", async () => {
    const pool = await startPool(await project({ quick: { code: "return 1;" } }));
    for (let n = 0; n < 3; n += 1) {
      await pool.end(await pool.start("quick"));
      await expect.poll(() => pool.ended).toHaveLength(n + 1);
      const [pid = -1] = await pool.workerPids();
      process.kill(pid, "SIGKILL");
      await pool.until(async () => !(await pool.workerPids()).includes(pid));
    }
    expect((await pool.end(await pool.start("quick"))).status).toBe("completed");
    expect(pool.notices.join("\n")).not.toMatch(/could not start|keeps happening/);
    expect(pool.notices).toHaveLength(3);
  });

  test("with its supervisor gone alone, leaves too, and hands its runs back", async () => {
    const made = await project({ work: threeSteps });
    const group = await startPoolProcess(made);
    const store = await startPool(made);
    await store.pool.close(0);
    const id = await store.start("work");
    await has(store, id, "step_started two");
    process.kill(group, "SIGKILL");
    await store.until(async () => (await store.read(id)).status === "queued");
    await store.until(async () => (await store.workerPids()).length === 0);
    expect((await store.read(id)).run).toMatchObject({ status: "queued", attempt: 1 });
  });

  test("with its supervisor gone alone, is ended even where code blocks it", async () => {
    const made = await project({ block: { code: `mark(String(process.pid)); while (true);` } });
    const group = await startPoolProcess(made);
    const store = await startPool(made);
    await store.pool.close(0);
    await store.start("block");
    await expect.poll(() => made.marks(), { timeout: 20_000 }).toHaveLength(1);
    const [pid] = await made.marks();
    process.kill(group, "SIGKILL");
    await expect.poll(() => spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim(), { timeout: 20_000 }).toMatch(/^(Z.*)?$/);
  });
});

describe("canceling", () => {
  const waitForAbort = `ctx.signal.addEventListener("abort", () => mark(ctx.signal.reason.name)); mark("begun"); ${hang}`;

  test("a running run ends at once, and its code is told", async () => {
    const pool = await startPool(await project({ work: { code: waitForAbort } }));
    const id = await pool.start("work");
    await expect.poll(() => pool.project.marks()).toContain("begun");
    expect(await pool.store.requestCancel(id, Date.now())).toBe("requested");
    pool.pool.cancel(id);
    expect((await pool.end(id)).kinds.slice(-2)).toEqual(["cancel_requested", "canceled"]);
    expect(await pool.project.marks()).toEqual(["begun", "RunCanceled"]);
  });

  test("a queued run and a sleeping run never run again", async () => {
    const made = await project({ sleeper: { code: `mark("sleeper"); await ctx.sleep("nap", "1h");` }, blocker: { code: `await until(() => marks().includes("free"));` }, never: { code: `mark("never");` } }, { workerConcurrency: 1 });
    const pool = await startPool(made);
    const sleeper = await pool.start("sleeper");
    await pool.until(async () => (await pool.read(sleeper)).status === "waiting");
    const blocker = await pool.start("blocker");
    await has(pool, blocker, "attempt_started");
    const queued = await pool.start("never");
    expect(await pool.store.requestCancel(queued, Date.now())).toBe("canceled");
    expect(await pool.store.requestCancel(sleeper, Date.now())).toBe("canceled");
    await (await import("node:fs/promises")).appendFile(join(made.dir, "marks.txt"), "free\n");
    await pool.end(blocker);
    expect([(await pool.read(queued)).status, (await pool.read(sleeper)).status]).toEqual(["canceled", "canceled"]);
    expect(await made.marks()).toEqual(["sleeper", "free"]);
  });
});

describe("the bounds of a run", () => {
  test("an attempt that waits longer than its timeout is timed out after its last attempt", async () => {
    const pool = await startPool(await project({ work: { timeoutMs: 50, attempts: 2, code: hang } }));
    const { run, kinds } = await pool.end(await pool.start("work", { maxAttempts: 2 }));
    expect(run).toMatchObject({ status: "timed_out", attempt: 2, error: { name: "RunTimedOut" } });
    expect(kinds.filter((kind) => kind === "attempt_failed")).toHaveLength(2);
  });

  test("a failing run is tried again, and completes when it succeeds", async () => {
    const pool = await startPool(await project({ work: { attempts: 3, code: `if (ctx.run.attempt < 3) throw new Error("not yet"); return ctx.run.attempt;` } }));
    expect((await pool.end(await pool.start("work", { maxAttempts: 3 }))).run).toMatchObject({ status: "completed", output: 3, attempt: 3 });
  });

  test("no more runs of a workflow than its concurrency are under way, over two workers", async () => {
    const made = await project({ work: { concurrency: 2, code: `mark("+"); await new Promise((resolve) => setTimeout(resolve, 30)); mark("-");` } }, { workers: 2 });
    const pool = await startPool(made);
    await pool.until(async () => (await pool.workerPids()).length === 2);
    const ids = await Promise.all(Array.from({ length: 12 }, () => pool.start("work")));
    for (const id of ids) expect((await pool.end(id)).status).toBe("completed");
    let underWay = 0;
    let most = 0;
    for (const mark of await made.marks()) most = Math.max(most, (underWay += mark === "+" ? 1 : -1));
    expect(most).toBe(2);
  });

  test("a sleeping run leaves its place to others, and wakes in time", async () => {
    const pool = await startPool(await project({ sleeper: { code: `await ctx.sleep("nap", 1500); return "rested";` }, other: { code: "return 1;" } }, { workerConcurrency: 1 }));
    const sleeper = await pool.start("sleeper");
    await pool.until(async () => (await pool.read(sleeper)).status === "waiting");
    expect((await pool.end(await pool.start("other"))).status).toBe("completed");
    expect((await pool.read(sleeper)).status).toBe("waiting");
    const { run, kinds } = await pool.end(sleeper);
    expect(run).toMatchObject({ status: "completed", output: "rested" });
    expect(kinds).toEqual(["queued", "attempt_started", "sleep_started nap", "resumed", "sleep_finished nap", "completed"]);
  });
});

describe("leaving", () => {
  test("a shutdown aborts what does not end in its grace, and hands it back with the same attempt", async () => {
    const made = await project({ work: threeSteps, short: { code: `await until(() => marks().includes("two begins")); return 1;` } });
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

  test("a worker that does not leave is killed, and its run goes on unblamed", async () => {
    const made = await project({ work: { timeoutMs: 60_000, code: `if (marks().length === 0) { mark("blocks"); while (true); } return "done";` } });
    const pool = await startPool(made);
    const id = await pool.start("work");
    await expect.poll(() => made.marks()).toContain("blocks");
    await pool.pool.close(0);
    expect((await pool.read(id)).run).toMatchObject({ status: "queued", attempt: 1 });
    await pool.close();
    const again = await startPool(made);
    expect((await again.end(id)).run).toMatchObject({ status: "completed", output: "done", attempt: 1 });
  });

  test("after a rebuild new runs execute the new code, and a run of the old code ends undisturbed", async () => {
    const made = await project({ work: { code: `mark("old"); await until(() => marks().includes("new")); return "old";` } });
    const pool = await startPool(made);
    const old = await pool.start("work");
    await expect.poll(() => made.marks()).toContain("old");
    await made.write({ work: { code: `mark("new"); return "new";` } });
    await pool.pool.replaceAll(Promise.resolve(true)).done;
    expect((await pool.end(await pool.start("work"))).run.output).toBe("new");
    expect((await pool.end(old)).run).toMatchObject({ output: "old", attempt: 1 });
    await pool.until(async () => (await pool.workerPids()).length === 1);
  });

  test("where no worker starts at first with the build that web serves, runs wait for one; none executes the old code", async () => {
    const made = await project({ work: { code: `return "old";` } });
    const pool = await startPool(made);
    await writeFile(join(made.dir, ".signalbox", "manifest.json"), "{}");
    await pool.pool.replaceAll(Promise.resolve(true)).done;
    const id = await pool.start("work");
    await made.write({ work: { code: `return "new";` } });
    expect((await pool.end(id)).run.output).toBe("new");
  });

  test("where no worker starts with a build that web refuses, the old ones go on", async () => {
    const made = await project({ work: { code: `return "old";` } });
    const pool = await startPool(made);
    await writeFile(join(made.dir, ".signalbox", "manifest.json"), "{}");
    await pool.pool.replaceAll(Promise.resolve(false)).done;
    expect((await pool.end(await pool.start("work"))).run.output).toBe("old");
  });
});

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}

/** A pool in a process group of its own. Gives the id of the group, which is that of its supervising process. */
async function startPoolProcess(made: Project): Promise<number> {
  const child = spawn(process.execPath, [join(packageRoot, "server/processes/testing/pool-process.ts"), made.dir], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  if (child.pid === undefined) throw new Error("the pool did not start");
  groups.push(child.pid);
  await once(child.stdout, "data");
  return child.pid;
}
