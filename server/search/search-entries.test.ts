import { expect, it } from "vitest";
import { actionsFor, groupsOf } from "./search-entries.ts";

const found = {
  endpoints: [{ endpoint: "eu/billing", path: "/triggers/eu/billing" }],
  triggers: [
    { slug: "paid", endpoint: "eu/billing" },
    { slug: "failed", endpoint: "eu/billing" },
  ],
  targets: [{ kind: "agent" as const, slug: "triage" }],
  tools: [{ name: "refund", agent: "triage" }],
  runs: [],
  deliveries: [],
};

it("results link to their pages, nodes to the canvas, with any name", () => {
  const groups = groupsOf({ ...found, triggers: [{ slug: "a&b", endpoint: "x" }] });
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

it("actions are those of the best results; with an action, they apply to every result", () => {
  const off = new Map([["failed", { at: "2026-01-01T00:00:00.000Z", reason: null }]]);
  expect(actionsFor(found, null, off).map(({ label, href }) => [label, href])).toEqual([
    ["Send test event to paid", "/?node=trigger%3Apaid&tab=test"],
    ["Run triage", "/?node=agent%3Atriage&tab=run"],
    ["Disable paid", "/?node=trigger%3Apaid&ask=switch"],
  ]);
  const labels = (action: "send" | "run" | "switch") => actionsFor(found, action, off).map(({ label }) => label);
  expect(labels("switch")).toEqual(["Disable paid", "Enable failed"]);
  expect(labels("send")).toEqual(["Send test event to paid", "Send test event to failed"]);
  expect(labels("run")).toEqual(["Run triage"]);
});
