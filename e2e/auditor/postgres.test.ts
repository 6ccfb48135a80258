import { describe, expect, it, onTestFailed } from "vitest";
import { auditMachines } from "./audit-machines.ts";
import type { PlannedMachineKill } from "./machine-kills.ts";
import { postgresMutants } from "./postgres-mutants.ts";
import { auditSeed as seed } from "./random.ts";

/** The guarantee is 15 seconds. Shared CI machines may pause for some seconds. */
const takeOverWithinMs = 20_000;

/** A machine is stopped past its leases while the others continue. */
const plan: readonly PlannedMachineKill[] = [
  { kind: "group", role: "worker", moment: "step_begun", afterMs: 500, awayMs: 17_000 },
  { kind: "connection", moment: "step_done", afterMs: 300, awayMs: 0 },
  { kind: "receiver", moment: "acknowledged", afterMs: 300, awayMs: 0 },
  { kind: "web", moment: "acknowledged", afterMs: 300, awayMs: 0 },
  { kind: "postgres", moment: "acknowledged", afterMs: 500, awayMs: 500 },
  { kind: "worker", moment: "step_begun", afterMs: 500, awayMs: 0 },
  { kind: "connection", moment: "acknowledged", afterMs: 300, awayMs: 0 },
  { kind: "network", role: "worker", moment: "step_done", afterMs: 300, awayMs: 2_000 },
  { kind: "group", role: "web", moment: "acknowledged", afterMs: 300, awayMs: 300 },
  { kind: "postgres", moment: "step_done", afterMs: 1_000, awayMs: 1_500 },
];

describe("the auditor of several machines on one Postgres", () => {
  it("finds no rule broken while machines, processes, connections and the database itself are killed", async () => {
    const log: string[] = [];
    onTestFailed(() => console.error(`AUDIT_SEED=${seed}\n${log.join("\n")}`));
    const { violations, facts, summary } = await auditMachines({
      seed,
      plan,
      roles: ["web", "web", "worker", "worker"],
      takeOverWithinMs,
      clients: 6,
      paceMs: 2_000,
      print: (line) => void log.push(line),
      keep: (outputs) => void log.push(...outputs),
    });
    console.log(`seed ${seed}: ${summary}`);
    expect(violations, summary).toEqual([]);
    expect(facts.kills.length).toBeGreaterThan(5);
  });

  it.for(Object.entries(postgresMutants))(
    "catches a service that is broken: %s",
    async ([name, { audit, caughtBy }]) => {
      const log: string[] = [];
      onTestFailed(() => console.error(`AUDIT_SEED=${seed}\n${log.join("\n")}`));
      const { violations, summary } = await auditMachines({ ...audit, seed, print: (line) => void log.push(line) });
      console.log(`${name}: ${violations.length} findings, ${summary}`);
      const broken = new Set<string>(violations.map(({ rule }) => rule));
      const expected: readonly string[] = caughtBy;
      expect(
        expected.filter((rule) => broken.has(rule)),
        [...broken].join(", "),
      ).not.toEqual([]);
    },
  );
});
