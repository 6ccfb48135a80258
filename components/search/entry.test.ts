import { describe, expect, it } from "vitest";
import { approvalsFor, groupsOf, hrefFrom, contentSearchesFor, pagesFor, searchTextOf } from "./entry.ts";

const id = "run_01M7YJ1EX743RPB9ARP7CQES6B";

describe("the text of a search", () => {
  it.each([
    [`  ${id} `, id],
    [`http://127.0.0.1:3002/runs/${id}?replay=edit`, id],
    [`"runId": "${id}",`, id],
    ["'new-signup'", "new-signup"],
    ["POST /triggers/billing", "billing"],
    ["https://hooks.example.com/triggers/eu/billing?token=secret", "eu/billing"],
    ["run_…P7CQES6B", "run_…P7CQES6B"],
    ["new sign", "new sign"],
  ])("%s means %s", (typed, meant) => {
    expect(searchTextOf(typed)).toBe(meant);
  });

  it("never contains the key of a pasted URL", () => {
    expect(searchTextOf("http://x/triggers/a?token=sbk_1234")).not.toContain("sbk_");
  });
});

it("results link to their pages, nodes to the canvas, with any name", () => {
  const groups = groupsOf({
    endpoints: [{ endpoint: "eu/billing", path: "/triggers/eu/billing" }],
    triggers: [{ slug: "a&b", endpoint: "x" }],
    targets: [{ kind: "agent", slug: "triage" }],
    tools: [{ name: "refund", agent: "triage" }],
    runs: [],
    deliveries: [],
  });
  expect(groups.flatMap((group) => group.entries.map((entry) => entry.href))).toEqual([
    "/?node=trigger%3Aa%26b",
    "/?node=endpoint%3Aeu%2Fbilling",
    "/?node=agent%3Atriage",
    "/?node=agent%3Atriage",
  ]);
  expect(groups.at(-1)).toMatchObject({
    name: "Tools",
    entries: [{ id: "tool:triage:refund", kind: "tool", label: "refund", note: "tool of triage" }],
  });
});

it("on the canvas a node opens and keeps the filters, pages keep their URL", () => {
  const here = { path: "/", query: "window=1h&node=trigger%3Aold&tab=test" };
  expect(hrefFrom({ href: "/?node=trigger%3Anew" }, here)).toBe("/?window=1h&node=trigger%3Anew");
  expect(hrefFrom({ href: "/?node=trigger%3Anew" }, { path: "/runs", query: "status=failed" })).toBe(
    "/?node=trigger%3Anew",
  );
  expect(hrefFrom({ href: "/runs" }, here)).toBe("/runs");
});

it("pages are found by word prefixes", () => {
  expect(pagesFor("deliv").map((page) => page.href)).toEqual(["/deliveries", "/deliveries?outcome=rejected"]);
  expect(pagesFor("fail run").map((page) => page.href)).toEqual(["/runs?status=failed"]);
  expect(pagesFor("nothing")).toEqual([]);
  expect(pagesFor("").length).toBeGreaterThan(3);
  expect(approvalsFor("approval", 2).map(({ note }) => note)).toEqual(["2 runs"]);
  expect([approvalsFor("deliv", 2), approvalsFor("", 0)]).toEqual([[], []]);
});

it("other text can be searched in bodies and inputs, unchanged", () => {
  expect(contentSearchesFor("a&b=c").map((entry) => entry.href)).toEqual([
    "/deliveries?text=a%26b%3Dc",
    "/runs?text=a%26b%3Dc",
  ]);
  expect(contentSearchesFor("")).toEqual([]);
});
