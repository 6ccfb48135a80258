import { describe, it } from "vitest";
import { auditLateness } from "./lateness.ts";
import { noFencing } from "./mutants.ts";
import { auditSeed as seed } from "./random.ts";

describe.concurrent("a worker that is stopped (SIGSTOP) past its lease", () => {
  it("writes nothing when it resumes late: of two servers on one store, stopped in turn, no run is executed twice", async ({
    expect,
    onTestFailed,
  }) => {
    const log: string[] = [];
    onTestFailed(() => console.error(`AUDIT_SEED=${seed}\n${log.join("\n")}`));
    const { violations, facts, summary } = await auditLateness({
      seed,
      stops: 2,
      changes: [],
      print: (line) => void log.push(line),
    });
    console.log(`seed ${seed}: ${summary}`);
    expect(violations, summary).toEqual([]);
    expect(new Set(facts.effects.map(({ generation }) => generation))).toEqual(new Set([0, 1]));
  });

  it("is detected by the auditor without fencing", async ({ expect, onTestFailed }) => {
    const log: string[] = [];
    onTestFailed(() => console.error(`AUDIT_SEED=${seed}\n${log.join("\n")}`));
    const { violations, summary } = await auditLateness({
      seed,
      stops: 1,
      changes: noFencing,
      print: (line) => void log.push(line),
    });
    console.log(`no-fencing: ${violations.length} findings, ${summary}`);
    expect(violations.map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(["a step is repeated only if a kill fell inside it"]),
    );
  });
});
