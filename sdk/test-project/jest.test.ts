import { expect as jestExpect } from "expect";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { runTsc } from "../testing/run-tsc.ts";
import type { TestDelivery, TestRun } from "./project.ts";

const target = { kind: "workflow", slug: "work" } as const;
const delivery: TestDelivery = {
  id: "dlv_1",
  endpoint: "github",
  status: 202,
  response: {},
  outcome: "accepted",
  verdicts: [
    { trigger: "issue", target, outcome: "matched", reasons: [] },
    { trigger: "ci", target, outcome: "filter_mismatch", reasons: [] },
  ],
  runs: [{ id: "run_1", trigger: "issue", target }],
  woke: [],
  problem: null,
};
const run = {
  id: "run_1",
  status: "completed",
  target,
  error: null,
  output: { a: 1 },
  steps: [],
} as unknown as TestRun;

it("signalbox/testing/jest registers the matchers in Jest's expect, with their messages and types", async () => {
  vi.stubGlobal("expect", undefined);
  await expect(import("./jest.ts?outside" as string)).rejects.toThrow("There is no global `expect`");
  vi.stubGlobal("expect", jestExpect);
  await import("./jest.ts");
  vi.unstubAllGlobals();

  jestExpect(delivery).toFire("issue");
  jestExpect(delivery).toSkip("ci");
  jestExpect(delivery).not.toFire("ci");
  jestExpect(run).toComplete({ a: 1 });
  jestExpect(run).not.toFail();
  expect(() => jestExpect(delivery).toFire("ci")).toThrow("Expected the delivery to github to fire ci.");
  expect(() => jestExpect(run).not.toComplete()).toThrow("Expected the run of work not to complete.");
});

it("the matchers have types in Jest, imported and global", () => {
  expect(runTsc(join(import.meta.dirname, "jest-types"))).toEqual([]);
});
