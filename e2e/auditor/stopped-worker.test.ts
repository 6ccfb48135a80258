import { describe, it } from "vitest";
import { seedByDate as seed } from "./random.ts";
import { auditStop, auditStopWithLock } from "./stopped-worker.ts";
import { findOrInstallStrace } from "./strace.ts";

describe.concurrent("a worker that is stopped (SIGSTOP) past its lease", { timeout: 400_000 }, () => {
  it("loses its runs to others, and is ended, though it can do nothing itself", async ({ expect, onTestFailed }) => {
    const log: string[] = [];
    onTestFailed(() => console.error(`AUDIT_SEED=${seed}\n${log.join("\n")}`));
    const { violations, hasEnded, summary } = await auditStop({ seed, tell: (line) => void log.push(line) });
    expect(violations, summary).toEqual([]);
    expect(hasEnded).toBe(true);
  });

  it("holds up nobody for long, where it was stopped with the store's lock in its hands", async ({
    expect,
    onTestFailed,
    skip,
  }) => {
    if (!findOrInstallStrace()) return skip("there is no strace");
    const log: string[] = [];
    onTestFailed(() => console.error(`AUDIT_SEED=${seed}\n${log.join("\n")}`));
    const { violations, hasEnded, wasStopped, summary } = await auditStopWithLock({
      seed,
      tell: (line) => void log.push(line),
    });
    console.log(`seed ${seed}: ${summary}`);
    expect(wasStopped).toBe(true);
    expect(violations, summary).toEqual([]);
    expect(hasEnded).toBe(true);
  });
});
