import { describe, expect, it, onTestFailed } from "vitest";
import { auditLateness } from "./lateness.ts";
import { noFencing } from "./mutants.ts";
import { auditStop, auditStopWithLock } from "./stopped-worker.ts";
import { findOrInstallStrace } from "./strace.ts";

const seed = Number(process.env["AUDIT_SEED"] ?? Date.now() % 1_000_000);

function reportOnFailure(): (line: string) => void {
  const log: string[] = [];
  onTestFailed(() => console.error(`AUDIT_SEED=${seed}\n${log.join("\n")}`));
  return (line) => void log.push(line);
}

describe("a worker that is stopped (SIGSTOP) past its lease", { timeout: 400_000 }, () => {
  it("loses its runs to others, and is ended, though it can do nothing itself", async () => {
    const { violations, hasEnded, summary } = await auditStop({ seed, tell: reportOnFailure() });
    expect(violations, summary).toEqual([]);
    expect(hasEnded).toBe(true);
  });

  it("holds up nobody for long, where it was stopped with the store's lock in its hands", async (context) => {
    if (!findOrInstallStrace()) return context.skip("there is no strace");
    const { violations, hasEnded, wasStopped, summary } = await auditStopWithLock({ seed, tell: reportOnFailure() });
    console.log(`seed ${seed}: ${summary}`);
    expect(wasStopped).toBe(true);
    expect(violations, summary).toEqual([]);
    expect(hasEnded).toBe(true);
  });

  it("changes nothing when it wakes late: two servers on one store, each stopped in its turn, have no run twice", async () => {
    const { violations, facts, summary } = await auditLateness({ seed, stops: 2, changes: [], tell: reportOnFailure() });
    console.log(`seed ${seed}: ${summary}`);
    expect(violations, summary).toEqual([]);
    expect(new Set(facts.effects.map(({ generation }) => generation))).toEqual(new Set([0, 1]));
  });

  it("is caught where nothing fences it off", async () => {
    const { violations, summary } = await auditLateness({ seed, stops: 1, changes: noFencing, tell: reportOnFailure() });
    console.log(`no-fencing: ${violations.length} findings, ${summary}`);
    expect(violations.map(({ rule }) => rule)).toEqual(expect.arrayContaining(["a step is repeated only if a kill fell inside it"]));
  });
});
