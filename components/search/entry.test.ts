import { describe, expect, it } from "vitest";
import {
  actionOf,
  actionsFor,
  approvalsFor,
  contentSearchesFor,
  type Found,
  groupsOf,
  hrefFrom,
  pagesFor,
  searchTextOf,
} from "./entry.ts";

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

const hrefs = (text: string, isAdmin = true) => pagesFor(text, isAdmin).map((page) => page.href);

it("pages are found by word prefixes, and the settings of admins only by admins", () => {
  expect(hrefs("deliv")).toEqual(["/deliveries", "/deliveries?outcome=rejected"]);
  expect(hrefs("fail run")).toEqual(["/runs?status=failed"]);
  expect(hrefs("settings")).toEqual([
    "/settings",
    "/settings/people",
    "/settings/keys",
    "/settings/builds",
    "/settings/audit",
  ]);
  expect([hrefs("token"), hrefs("token", false), hrefs("settings", false)]).toEqual([
    ["/settings/keys"],
    [],
    ["/settings"],
  ]);
  expect(hrefs("nothing")).toEqual([]);
  expect(hrefs("").length).toBeGreaterThan(3);
  expect(approvalsFor("approval", 2).map(({ note }) => note)).toEqual(["2 runs"]);
  expect([approvalsFor("deliv", 2), approvalsFor("", 0)]).toEqual([[], []]);
});

describe("actions", () => {
  const found: Found = {
    endpoints: [],
    triggers: [
      { slug: "paid", endpoint: "billing" },
      { slug: "failed", endpoint: "billing" },
    ],
    targets: [{ kind: "agent", slug: "triage" }],
    tools: [],
    runs: [],
    deliveries: [],
  };
  const actions = (text: string) =>
    actionsFor(found, actionOf(text).verb, (slug) => slug === "failed").map(({ label, href }) => [label, href]);

  it("are those of the best results", () => {
    expect(actions("paid")).toEqual([
      ["Send test event to paid", "/?node=trigger%3Apaid&tab=test"],
      ["Run triage", "/?node=agent%3Atriage&tab=run"],
      ["Switch off paid", "/?node=trigger%3Apaid&ask=switch"],
    ]);
  });

  it("with a verb apply to every result", () => {
    expect(actions("switch off pai").map(([label]) => label)).toEqual(["Switch off paid", "Switch on failed"]);
    expect(actions("Test f").map(([label]) => label)).toEqual(["Send test event to paid", "Send test event to failed"]);
    expect(actions("run t").map(([label]) => label)).toEqual(["Run triage"]);
    expect([actionOf("run welcome"), actionOf("runs"), actionOf("disable paid")]).toEqual([
      { verb: "run", text: "welcome" },
      { verb: null, text: "runs" },
      { verb: "switch", text: "paid" },
    ]);
  });

  it("on the canvas open with the current filters", () => {
    const here = { path: "/", query: "window=1h&node=trigger%3Aold&tab=schema" };
    expect(hrefFrom({ href: "/?node=trigger%3Apaid&tab=test" }, here)).toBe("/?window=1h&node=trigger%3Apaid&tab=test");
  });
});

it("other text can be searched in bodies and inputs, unchanged", () => {
  expect(contentSearchesFor("a&b=c").map((entry) => entry.href)).toEqual([
    "/deliveries?text=a%26b%3Dc",
    "/runs?text=a%26b%3Dc",
  ]);
  expect(contentSearchesFor("")).toEqual([]);
});
