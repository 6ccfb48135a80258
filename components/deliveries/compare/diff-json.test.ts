import * as fc from "fast-check";
import { expect, it } from "vitest";
import { diffJson } from "./diff-json.ts";

it("places that were added, removed and changed are named by their pointers", () => {
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

it("a value that became one of another kind is one change", () => {
  expect(diffJson("[1,[2]]", '[1,{"0":2}]')).toEqual([
    { pointer: "/1", kind: "changed", before: "[2]", after: '{"0":2}' },
  ]);
});

it("the same value in another spelling is told as such", () => {
  expect(
    diffJson('[1.0,"\\u00e9",12345678901234567890]', '[1,"é",12345678901234567891]')?.map(({ pointer, kind }) => [
      pointer,
      kind,
    ]),
  ).toEqual([
    ["/0", "written"],
    ["/1", "written"],
    // Doubles cannot tell these two apart, but the texts can.
    ["/2", "written"],
  ]);
});

it("what is not JSON has no differences by place", () => {
  expect(diffJson("{", "{}")).toBeNull();
});

it("every text is equal to itself in any spacing, however deep", () => {
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

it("no more is compared than is asked for", () => {
  expect(diffJson(JSON.stringify(Array(1000).fill(1)), JSON.stringify(Array(1000).fill(2)), 10)).toHaveLength(10);
});
