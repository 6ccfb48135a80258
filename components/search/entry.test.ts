import { describe, expect, it } from "vitest";
import { actionOf, approvalsFor, contentSearchesFor, hrefFrom, pagesFor, searchTextOf } from "./entry.ts";

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

it("on the canvas a node opens and keeps the filters, pages keep their URL", () => {
  const here = { path: "/", query: "window=1h&node=trigger%3Aold&tab=test" };
  expect(hrefFrom({ href: "/?node=trigger%3Anew" }, here)).toBe("/?window=1h&node=trigger%3Anew");
  expect(hrefFrom({ href: "/?node=trigger%3Anew" }, { path: "/runs", query: "status=failed" })).toBe(
    "/?node=trigger%3Anew",
  );
  expect(hrefFrom({ href: "/runs" }, here)).toBe("/runs");
  expect(hrefFrom({ href: "/?node=trigger%3Apaid&tab=run" }, here)).toBe("/?window=1h&node=trigger%3Apaid&tab=run");
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

it("an action at the beginning selects it", () => {
  expect(["run welcome", "runs", "disable paid", "switch off pai", "Test f"].map(actionOf)).toEqual([
    { action: "run", text: "welcome" },
    { action: null, text: "runs" },
    { action: "switch", text: "paid" },
    { action: "switch", text: "pai" },
    { action: "send", text: "f" },
  ]);
});

it("other text can be searched in bodies and inputs, unchanged", () => {
  expect(contentSearchesFor("a&b=c").map((entry) => entry.href)).toEqual([
    "/deliveries?text=a%26b%3Dc",
    "/runs?text=a%26b%3Dc",
  ]);
  expect(contentSearchesFor("")).toEqual([]);
});
