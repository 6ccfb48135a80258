import { beforeAll, describe, expect, it } from "vitest";
import { mutants } from "./mutants.ts";
import { findOrInstallStrace } from "./strace.ts";
import { sweepCalls, traceAnswer } from "./system-calls.ts";

/** Where strace cannot be had, or may not watch (some containers forbid it), these say so. */
let hasStrace = false;
beforeAll(() => {
  hasStrace = findOrInstallStrace();
});

const notDurable = { file: "server/store/sqlite/open-connection.ts", find: `connection.pragma("synchronous = FULL");`, replace: `connection.pragma("synchronous = NORMAL");` };
/** The store looks at that setting itself, and would refuse. */
const notChecked = { file: "server/store/sqlite/open-connection.ts", find: "synchronous: 2,", replace: "synchronous: 1," };

describe("at the system calls that write to disk", { timeout: 400_000 }, () => {
  it("a 202 never leaves before its own commit has been brought to disk", async (context) => {
    if (!hasStrace) return context.skip("there is no strace");
    expect(await traceAnswer([])).toBe("durable");
    expect(await traceAnswer([notDurable, notChecked])).toBe("too early");
    expect(await traceAnswer(mutants["acknowledge-before-commit"].audit.changes)).toBe("too early");
  });

  // Every call, one after the other: `node e2e/auditor/main.ts --calls accept`, or `run`.
  it.for([
    { of: "accept" as const, stride: 11 },
    { of: "run" as const, stride: 17 },
  ])("web and worker may be killed at any of them: $of, one in $stride", async ({ of, stride }, context) => {
    if (!hasStrace) return context.skip("there is no strace");
    const { violations, calls, facts, summary } = await sweepCalls({ of, stride, tell: console.log });
    expect(violations, summary).toEqual([]);
    expect(facts.kills.length).toBeGreaterThan(2);
    expect(calls).toBeGreaterThan(2 * stride);
  });
});
