import { beforeAll, describe, it } from "vitest";
import { mutants } from "./mutants.ts";
import { findOrInstallStrace } from "./strace.ts";
import { sweepCalls, traceAnswer } from "./system-calls.ts";

/** If strace is not available or not permitted (as in some containers), these tests report it. */
let hasStrace = false;
beforeAll(() => {
  hasStrace = findOrInstallStrace();
});

const notDurable = {
  file: "server/store/sqlite/file/open-connection.ts",
  find: `connection.pragma("synchronous = FULL");`,
  replace: `connection.pragma("synchronous = NORMAL");`,
};
/** Its claims commit without fsync. It changes the setting of the connection for each other commit. */
const neverDurable = {
  file: "server/store/sqlite/writes/write-queue.ts",
  find: "connection.pragma(`synchronous = ${wanted}`);",
  replace: 'connection.pragma("synchronous = NORMAL");',
};
/** The store checks that setting itself, and would reject it. */
const notChecked = {
  file: "server/store/sqlite/file/open-connection.ts",
  find: "synchronous: 2,",
  replace: "synchronous: 1,",
};

describe.concurrent("at the system calls that write to disk", () => {
  it("a 202 is never sent before its own commit is flushed to disk", async ({ expect, skip }) => {
    if (!hasStrace) return skip("there is no strace");
    const [product, notSynced, acknowledgedEarly] = await Promise.all(
      [[], [notDurable, neverDurable, notChecked], mutants["acknowledge-before-commit"].audit.changes].map(traceAnswer),
    );
    expect(product).toBe("durable");
    expect(notSynced).toBe("too early");
    expect(acknowledgedEarly).toBe("too early");
  });

  // Every call, one after the other: `npm run audit -- --calls accept`, or `run`.
  it.for([
    { of: "accept" as const, stride: 7 },
    { of: "run" as const, stride: 17 },
  ])("the receiver may be killed at any of them: $of, one in $stride", async ({ of, stride }, { expect, skip }) => {
    if (!hasStrace) return skip("there is no strace");
    const { violations, calls, facts, summary } = await sweepCalls({ of, stride, print: console.log });
    expect(violations, summary).toEqual([]);
    expect(facts.kills.length).toBeGreaterThan(2);
    expect(calls).toBeGreaterThan(2 * stride);
  });
});
