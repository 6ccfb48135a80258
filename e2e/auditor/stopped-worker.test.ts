import { describe, it } from "vitest";
import { auditSeed as seed } from "./random.ts";
import { auditStop, auditStopWithLock } from "./stopped-worker.ts";
import { findOrInstallStrace } from "./strace.ts";

describe.concurrent("a worker that is stopped (SIGSTOP) past its lease", { timeout: 400_000 }, () => {
  it("loses its runs to other workers, and is killed, because it cannot exit itself", async ({
    expect,
    onTestFailed,
  }) => {
    const log: string[] = [];
    onTestFailed(() => console.error(`AUDIT_SEED=${seed}\n${log.join("\n")}`));
    const { violations, hasEnded, summary } = await auditStop({ seed, tell: (line) => void log.push(line) });
    expect(violations, summary).toEqual([]);
    expect(hasEnded).toBe(true);
  });

  it("delays other workers only briefly if it is stopped while it has the store's lock", async ({
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
