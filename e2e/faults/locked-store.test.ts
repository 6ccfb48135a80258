import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { expectAnswersOf, expectNothingLost, linesWith, statusOf } from "./expectations.ts";
import { prepareFaultyProject, startFaultyService } from "./faulty-service.ts";
import { lockedSeconds } from "./lengths.ts";
import { startLoad } from "./load.ts";

/** Another program (a backup by hand, an editor) that keeps the lock until its stdin ends. */
async function holdLock(file: string): Promise<{ release(): Promise<void> }> {
  const code = `
    import Database from "better-sqlite3";
    const db = new Database(process.argv[1], { timeout: 10_000 });
    db.exec("BEGIN IMMEDIATE");
    console.log("held");
    process.stdin.on("end", () => { db.exec("ROLLBACK"); db.close(); }).resume();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code, file], {
    cwd: import.meta.dirname,
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return {
    async release() {
      const exited = once(child, "exit");
      child.stdin.end();
      await exited;
    },
  };
}

describe("a store that another program has locked", () => {
  it(
    `for ${lockedSeconds} s rejects webhooks in time, serves all that only reads, and loses and doubles nothing`,
    async () => {
      const service = await startFaultyService(prepareFaultyProject());
      const { url, key } = service;
      const before = [service.receiver(), service.web(), service.workers()];
      const load = startLoad({ url, key, clients: 6, paceMs: 100, ms: 50, sleepMs: 2_000 });
      await vi.waitFor(() => expect(load.answers().filter(({ status }) => status === 202).length).toBeGreaterThan(30));

      const lock = await holdLock(service.file);
      const since = performance.now();
      const from = load.answers().length;
      const alive: { status: number; durationMs: number }[] = [];
      const readiness: { status: number; text: string }[] = [];
      while (performance.now() - since < lockedSeconds * 1000) {
        alive.push(await statusOf(`${url}/healthz`));
        if (performance.now() - since > 6_000) readiness.push(await statusOf(`${url}/readyz`));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      const during = load.answers().slice(from + 6);
      await lock.release();

      expectAnswersOf(during, [503]);
      expect(during.length).toBeGreaterThan(20);
      expect(Math.max(...during.map(({ durationMs }) => durationMs))).toBeLessThan(10_000);
      expect(alive.filter(({ status }) => status !== 200)).toEqual([]);
      // The process does not wait five seconds with SQLite: the lock does not affect requests without writes.
      expect(Math.max(...alive.map(({ durationMs }) => durationMs))).toBeLessThan(4_500);
      expect(readiness.length).toBeGreaterThan(0);
      expect(readiness.filter(({ status, text }) => status !== 503 || !text.includes("busy")).slice(0, 2)).toEqual([]);

      const afterwards = load.answers().length;
      await vi.waitFor(() =>
        expect(
          load
            .answers()
            .slice(afterwards)
            .filter(({ status }) => status === 202).length,
        ).toBeGreaterThan(10),
      );
      await vi.waitFor(async () => expect((await statusOf(`${url}/readyz`)).status).toBe(200), {
        interval: 500,
      });
      const answers = await load.finish();
      expectAnswersOf(answers, [202, 503]);
      await expectNothingLost(service, answers);
      expect([service.receiver(), service.web(), service.workers()]).toEqual(before);
      const lines = linesWith(service.output(), "could not store a delivery");
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.length).toBeLessThanOrEqual(2 + Math.ceil((performance.now() - since) / 60_000));
      expect(linesWith(service.output(), "store available again").length).toBeGreaterThan(0);
      expect(await service.stop()).toBe(0);
    },
    (lockedSeconds + 600) * 1000,
  );
});
