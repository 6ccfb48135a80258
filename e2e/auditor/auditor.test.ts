import { beforeAll, describe, expect, it, onTestFailed } from "vitest";
import { audit } from "./audit.ts";
import { buildMutant } from "./build-mutant.ts";
import { mutants } from "./mutants.ts";
import { auditSeed as seed } from "./random.ts";

/** `npm run audit` kills more often. */
const kills = 12;

// Before the audits, so that no build delays their kills.
beforeAll(
  async () => void (await Promise.all(Object.values(mutants).map(({ audit: { changes } }) => buildMutant(changes)))),
);

/** One after another: with several services that start at the same time, runs would be late without a fault. */
describe("the auditor", () => {
  it("finds no rule broken while the group, the receiver, web and single workers are killed at random moments", async () => {
    const log: string[] = [];
    onTestFailed(() => console.error(`AUDIT_SEED=${seed}\n${log.join("\n")}`));
    const { violations, facts, summary } = await audit({
      seed,
      kills,
      gapMs: 900,
      print: (line) => void log.push(line),
    });
    console.log(`seed ${seed}: ${summary}`);
    expect(violations, summary).toEqual([]);
    expect(facts.kills).toHaveLength(kills);
  });

  it("finds no rule broken while code blocks the only worker: the runs that are due start within 30 seconds", async () => {
    onTestFailed(() => console.error(`AUDIT_SEED=${seed}`));
    const { violations, facts, summary } = await audit({
      seed,
      plan: [],
      blocksWorker: true,
      workers: 1,
      clients: 8,
      paceMs: 300,
      minOrders: 30,
    });
    expect(violations, summary).toEqual([]);
    expect(facts.kills).toMatchObject([{ kind: "block" }]);
  });

  /** Each has its own project, port and sink, so they can wait side by side. */
  it.concurrent.for(Object.entries(mutants))(
    "catches a service that is broken: %s",
    async ([name, mutant], { expect, onTestFailed }) => {
      onTestFailed(() => console.error(`AUDIT_SEED=${seed}`));
      const { violations, summary } = await audit({ seed, ...mutant.audit });
      console.log(`${name}: ${violations.length} findings, ${summary}`);
      const broken = new Set<string>(violations.map(({ rule }) => rule));
      expect(
        mutant.caughtBy.filter((rule) => broken.has(rule)),
        [...broken].join(", "),
      ).not.toEqual([]);
    },
  );
});
