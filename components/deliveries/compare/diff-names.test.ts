import { expect, it } from "vitest";
import type { Verdict } from "../../../server/contract/delivery.ts";
import { diffHeaders, diffVerdicts } from "./diff-names.ts";

const verdict = (over: Partial<Verdict>): Verdict => ({
  trigger: "paid",
  attachmentId: "paid:post",
  target: { kind: "workflow", slug: "post" },
  outcome: "matched",
  runId: "run_1",
  reasons: [],
  ...over,
});

it("headers that differ are named, except those that always differ", () => {
  expect(
    diffHeaders(
      { b: "1", a: "1", same: "x", "content-length": "1" },
      { b: "2", c: "3", same: "x", "content-length": "2" },
    ),
  ).toEqual([
    { name: "a", before: "1", after: null },
    { name: "b", before: "1", after: "2" },
    { name: "c", before: null, after: "3" },
  ]);
});

it("triggers with other verdicts are named, regardless of their runs", () => {
  expect(diffVerdicts([verdict({})], [verdict({ runId: "run_2" })])).toEqual([]);
  const reasons = [{ pointer: "/type", code: "", message: "Invalid", expected: "paid", actual: null }];
  expect(diffVerdicts([verdict({})], [verdict({ outcome: "filter_mismatch", runId: null, reasons })])).toEqual([
    { name: "paid → post", before: "matched", after: "filter mismatch · /type paid" },
  ]);
});
