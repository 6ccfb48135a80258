import { describe, expect, it, onTestFailed } from "vitest";
import { audit } from "./audit.ts";
import { mutants } from "./mutants.ts";

/** `AUDIT_SEED` repeats the plan of an audit that failed. */
const seed = Number(process.env["AUDIT_SEED"] ?? Date.now() % 1_000_000);
const log: string[] = [];
const tell = (line: string) => void log.push(line);

describe("the auditor", () => {
  it("finds no rule broken while the group, web and single workers are killed at random moments", { timeout: 400_000 }, async () => {
    onTestFailed(() => console.error(`AUDIT_SEED=${seed}\n${log.join("\n")}`));
    const { violations, facts, summary } = await audit({ seed, kills: 20, tell });
    console.log(`seed ${seed}: ${summary}`);
    expect(violations, summary).toEqual([]);
    expect(facts.kills.length).toBeGreaterThan(12);
  });

  it.each(Object.entries(mutants))("catches a service that is broken: %s", { timeout: 300_000 }, async (name, mutant) => {
    const { violations, summary } = await audit({ seed, ...mutant.audit });
    console.log(`${name}: ${violations.length} findings, ${summary}`);
    const broken = new Set<string>(violations.map(({ rule }) => rule));
    expect(mutant.caughtBy.filter((rule) => broken.has(rule)), [...broken].join(", ")).not.toEqual([]);
  });
});
