import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Verdict } from "../contract/delivery.ts";
import { diffHeaders, diffJson, diffVerdicts } from "./compare-deliveries.ts";

const verdict = (over: Partial<Verdict>): Verdict => ({
  trigger: "paid",
  attachmentId: "paid:post",
  target: { kind: "workflow", slug: "post" },
  outcome: "matched",
  runId: "run_1",
  reasons: [],
  ...over,
});

const listOf = (...verdicts: Verdict[]) => ({ verdicts, unlistedVerdicts: [] });

it("headers that differ are named, except those that always differ", () => {
  expect(
    diffHeaders(
      { b: "1", a: "1", same: "x", "content-length": "1" },
      { b: "2", c: "3", same: "x", "content-length": "2" },
    ),
  ).toEqual([
    { name: "a", kind: "removed", before: "1", after: null },
    { name: "b", kind: "changed", before: "1", after: "2" },
    { name: "c", kind: "added", before: null, after: "3" },
  ]);
});

it("triggers with other verdicts are named, regardless of their runs", () => {
  expect(diffVerdicts(listOf(verdict({})), listOf(verdict({ runId: "run_2" })))).toEqual([]);
  const reasons = [{ pointer: "/type", code: "", message: "Invalid", expected: "paid", actual: null }];
  expect(
    diffVerdicts(listOf(verdict({})), listOf(verdict({ outcome: "filter_mismatch", runId: null, reasons }))),
  ).toEqual([{ name: "paid → post", kind: "changed", before: "matched", after: "filter mismatch · /type paid" }]);
});

it("numbers of verdicts that are not listed are compared by field", () => {
  const unlisted = { outcome: "filter_mismatch", pointer: "/type", actual: '"a"', count: 990 } as const;
  expect(
    diffVerdicts(
      { verdicts: [], unlistedVerdicts: [unlisted] },
      { verdicts: [verdict({})], unlistedVerdicts: [{ ...unlisted, count: 989 }] },
    ),
  ).toEqual([
    { name: "not listed: filter mismatch at /type", kind: "changed", before: "990", after: "989" },
    { name: "paid → post", kind: "added", before: null, after: "matched" },
  ]);
});

it("added, removed and changed paths are named by their pointers", () => {
  const differences = diffJson(
    '{"id":1,"gone":[1, 2],"data":{"a/b":"x","same":null}}',
    '{"data":{"same":null,"a/b":"y","new":{}},"id":1}',
  );
  expect(differences).toEqual([
    { pointer: "/gone", kind: "removed", before: "[1, 2]", after: null },
    { pointer: "/data/a~1b", kind: "changed", before: '"x"', after: '"y"' },
    { pointer: "/data/new", kind: "added", before: null, after: "{}" },
  ]);
});

it("a value of another type is one change", () => {
  expect(diffJson("[1,[2]]", '[1,{"0":2}]')).toEqual([
    { pointer: "/1", kind: "changed", before: "[2]", after: '{"0":2}' },
  ]);
});

it("the same value in another notation is reported as such", () => {
  expect(
    diffJson('[1.0,"\\u00e9",12345678901234567890]', '[1,"é",12345678901234567891]')?.map(({ pointer, kind }) => [
      pointer,
      kind,
    ]),
  ).toEqual([
    ["/0", "written"],
    ["/1", "written"],
    // Both are the same double, but different texts.
    ["/2", "written"],
  ]);
});

it("text that is not JSON has no differences by path", () => {
  expect(diffJson("{", "{}")).toBeNull();
});

it("every JSON text equals itself with any whitespace, at any depth", () => {
  fc.assert(
    fc.property(
      fc.json(),
      (text) =>
        void expect(
          diffJson(text, JSON.stringify(JSON.parse(text), null, 3))?.filter(({ kind }) => kind !== "written"),
        ).toEqual([]),
    ),
  );
  const deep = "[".repeat(50_000) + "]".repeat(50_000);
  expect(diffJson(deep, deep)).toEqual([]);
});

it("stops at the maximum number of differences", () => {
  expect(diffJson(JSON.stringify(Array(1000).fill(1)), JSON.stringify(Array(1000).fill(2)), 10)).toHaveLength(10);
});
