import { describe, expect, vi } from "vitest";
import type { createProject, HarnessWorkflow, startPool } from "../testing/pool-harness.ts";
import { test as poolTest } from "../testing/pool-test.ts";

/** Each of these runs harms its process. Another run in the process must complete in every case. */

vi.setConfig({ maxConcurrency: 3 });

/** Has a finished step, then waits until the other code has begun, so that both are in one process when it happens. */
const neighbour: HarnessWorkflow = {
  // On a busy machine, a blocked process is killed late.
  timeoutMs: 600_000,
  code: `
    await ctx.step("first", () => mark("neighbour first"));
    mark("neighbour ready");
    await until(() => marks().includes("bad begins"));
    await ctx.step("second", async () => { await new Promise((resolve) => setTimeout(resolve, 50)); });
    return "unharmed";`,
};
const begin = `await until(() => marks().includes("neighbour ready")); mark("bad begins");`;

type Misbehave = (
  bad: HarnessWorkflow,
  settings?: { workerMemoryMb?: number },
  maxAttempts?: number,
) => ReturnType<typeof misbehaveIn>;
const test = poolTest.extend(
  "misbehave",
  ({ createProject, startPool }): Misbehave =>
    (bad, settings = {}, maxAttempts = 1) =>
      misbehaveIn({ createProject, startPool, bad, settings, maxAttempts }),
);

async function misbehaveIn(p: {
  createProject: typeof createProject;
  startPool: typeof startPool;
  bad: HarnessWorkflow;
  settings: { workerMemoryMb?: number };
  maxAttempts: number;
}) {
  const { bad, settings, maxAttempts } = p;
  const project = await p.createProject({ bad: { ...bad, code: `${begin} ${bad.code}` }, neighbour }, settings);
  const pool = await p.startPool(project);
  const neighbourId = await pool.start("neighbour");
  const badId = await pool.start("bad", { maxAttempts });
  const [ended, other] = await Promise.all([pool.end(badId), pool.end(neighbourId)]);
  expect(other.run).toMatchObject({ status: "completed", output: "unharmed", attempt: 1 });
  expect((await project.marks()).filter((line) => line === "neighbour first")).toHaveLength(1);
  return { ...ended, neighbourKinds: other.kinds, pool };
}

describe.concurrent("a neighbour completes, and the timeline says what happened, when code", () => {
  test("loops endlessly: the run is timed out, with the line that looped", async ({ misbehave }) => {
    const { run, story, kinds, neighbourKinds } = await misbehave({
      timeoutMs: 1500,
      code: "function spinForEver() { while (true); } spinForEver();",
    });
    expect(run).toMatchObject({
      status: "timed_out",
      error: { name: "WorkerCrashed", message: expect.stringContaining("event loop was blocked") },
    });
    expect(story).toContain("spinForEver");
    // It was seen blocking, so it need not run again alone.
    expect(kinds).not.toContain("resumed");
    expect(neighbourKinds).toContain("worker_lost");
  });

  test("fills the heap", async ({ misbehave }) => {
    const { run, story } = await misbehave(
      { code: `const hoard = []; while (true) { hoard.push(new Array(100_000).fill(hoard.length)); await null; }` },
      { workerMemoryMb: 64 },
    );
    expect(run).toMatchObject({
      status: "failed",
      error: { name: "WorkerCrashed", message: expect.stringContaining("memory") },
    });
    expect(story).toMatch(/worker_lost \| The worker process (ran out of|used more than \d+ MiB of) memory/);
  });

  test("fills memory with Buffers, which V8 does not count", async ({ misbehave }) => {
    const { run } = await misbehave(
      {
        code: `const hoard = []; while (true) { hoard.push(Buffer.alloc(4 * 1024 * 1024, 1)); await new Promise(setImmediate); }`,
      },
      { workerMemoryMb: 64 },
    );
    expect(run).toMatchObject({
      status: "failed",
      error: { name: "WorkerCrashed", message: expect.stringMatching(/used more than 208 MiB of memory/) },
    });
  });

  test("fills memory with Buffers while it blocks the event loop", async ({ misbehave }) => {
    const { run } = await misbehave(
      {
        code: `const cell = new Int32Array(new SharedArrayBuffer(4)); const hoard = []; while (true) { hoard.push(Buffer.alloc(1024 * 1024, 1)); Atomics.wait(cell, 0, 0, 3); if (hoard.length > 4096) hoard.length = 0; }`,
      },
      { workerMemoryMb: 64 },
    );
    expect(run).toMatchObject({
      status: "failed",
      error: { name: "WorkerCrashed", message: expect.stringMatching(/used more than 208 MiB of memory/) },
    });
  });

  test("calls process.exit(): only its attempt ends, and the process stays", async ({ misbehave }) => {
    const { run, pool, neighbourKinds } = await misbehave({
      code: "try { process.exit(3); } finally { await ctx.step('late', () => mark('late')); }",
    });
    expect(run).toMatchObject({
      status: "failed",
      error: { name: "ProcessExitCalled", message: expect.stringContaining("process.exit(3)") },
    });
    expect(neighbourKinds).not.toContain("worker_lost");
    expect(await pool.project.marks()).not.toContain("late");
    expect(pool.notices).toEqual([]);
  });

  test("changes what all runs of the process share: each call throws, and nothing changes", async ({ misbehave }) => {
    const { run, neighbourKinds } = await misbehave({
      code: `
        const { chdir, umask } = await import("node:process");
        const results = [];
        for (const change of [
          () => chdir("/"),
          () => process.chdir("/"),
          () => umask(0o777),
          () => process.setuid(1),
          () => process.setgid(1),
          () => process.seteuid(1),
          () => process.setegid(1),
          () => process.setgroups([1]),
          () => process.initgroups("nobody", 1),
          () => process.disconnect(),
          () => process.removeAllListeners(),
          () => process.removeAllListeners("SIGTERM"),
          () => process.setUncaughtExceptionCaptureCallback(() => {}),
        ])
          try { change(); results.push(String(change)); } catch (error) { results.push(error.name); }
        return [[...new Set(results)], process.umask(), process.cwd() === "/"];`,
    });
    expect(run).toMatchObject({ status: "completed", output: [["ProcessChangeRejected"], process.umask(), false] });
    expect(neighbourKinds).not.toContain("worker_lost");
  });

  test("ends its process, its supervisor or their group: each call throws", async ({ misbehave }) => {
    const { run, pool, neighbourKinds } = await misbehave({
      code: `
        const { exit } = await import("node:process");
        for (const end of [
          () => exit(3),
          () => process.reallyExit(3),
          () => process.abort(),
          () => process.execve("/bin/true"),
          () => process.kill(process.pid),
          () => process.kill(process.ppid, "SIGKILL"),
          () => process.kill(0),
          () => process.kill(-process.pid, "SIGKILL"),
        ])
          try { end(); } catch (error) { mark(error.name); }`,
    });
    expect(run).toMatchObject({ status: "failed", error: { name: "ProcessExitCalled" } });
    expect((await pool.project.marks()).filter((line) => line === "ProcessExitCalled")).toHaveLength(8);
    expect(neighbourKinds).not.toContain("worker_lost");
  });

  test("changes process.env in every way: the next runs read the original", async ({ misbehave }) => {
    const { pool } = await misbehave({
      code: `
        const { env, loadEnvFile } = await import("node:process");
        if (env.HOME === "/changed" || process.env.HOME === "/changed" || process.env.LEAKED) throw new Error("leaked");
        const fs = await import("node:fs");
        const file = (await import("node:os")).tmpdir() + "/leaked-" + process.pid + ".env";
        fs.writeFileSync(file, "LEAKED=1");
        loadEnvFile(file);
        fs.rmSync(file);
        env.HOME = "/changed";
        process.env = { ...process.env, HOME: "/changed" };
        return process.env.LEAKED;`,
    });
    const next = await pool.start("bad");
    expect((await pool.end(next)).run).toMatchObject({ status: "completed", output: "1" });
  });

  test("calls process.exit() from a timer that is not awaited", async ({ misbehave }) => {
    const { run, neighbourKinds } = await misbehave({
      code: "setTimeout(() => process.exit(), 5); await new Promise(() => {});",
    });
    expect(run).toMatchObject({ status: "failed", error: { name: "ProcessExitCalled" } });
    expect(neighbourKinds).not.toContain("worker_lost");
  });

  test("leaves a rejection unhandled: its attempt ends, the process stays", async ({ misbehave }) => {
    const { run, neighbourKinds } = await misbehave({
      code: `setTimeout(() => Promise.reject(new Error("forgotten")), 5); await new Promise(() => {});`,
    });
    expect(run).toMatchObject({
      status: "failed",
      error: { name: "UnhandledRejection", message: expect.stringContaining("forgotten") },
    });
    expect(neighbourKinds).not.toContain("worker_lost");
  });

  test("throws an uncaught exception: its attempt ends, and the process is replaced when its other runs have ended", async ({
    misbehave,
  }) => {
    const { run, neighbourKinds, pool } = await misbehave({
      code: `setTimeout(() => { throw new Error("from a timer"); }, 5); await new Promise(() => {});`,
    });
    expect(run).toMatchObject({
      status: "failed",
      error: { name: "UncaughtException", message: expect.stringContaining("from a timer") },
    });
    expect(neighbourKinds).not.toContain("worker_lost");
    expect(pool.notices.join()).toContain("uncaught exception");
    expect((await pool.end(await pool.start("neighbour"))).status).toBe("completed");
  });

  test("crashes its process in every attempt: each is counted, and the run fails after the last", async ({
    misbehave,
  }) => {
    const { run, kinds } = await misbehave(
      { attempts: 2, code: `const hoard = []; while (true) hoard.push(new Array(100_000).fill(hoard.length));` },
      { workerMemoryMb: 64 },
      2,
    );
    expect(run).toMatchObject({ status: "failed", attempt: 2 });
    expect(kinds.filter((kind) => kind === "attempt_failed")).toHaveLength(2);
  });
});
