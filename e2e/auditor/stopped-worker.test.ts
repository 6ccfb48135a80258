import { describe, it } from "vitest";
import { auditSeed as seed } from "./random.ts";
import { auditStop } from "./stopped-worker.ts";

describe.concurrent("a worker that is stopped (SIGSTOP) past its lease", () => {
  it("loses its runs to other workers, and is killed, because it cannot exit itself", async ({
    expect,
    onTestFailed,
  }) => {
    const log: string[] = [];
    onTestFailed(() => console.error(`AUDIT_SEED=${seed}\n${log.join("\n")}`));
    const { violations, hasEnded, summary } = await auditStop({ seed, print: (line) => void log.push(line) });
    expect(violations, summary).toEqual([]);
    expect(hasEnded).toBe(true);
  });
});
