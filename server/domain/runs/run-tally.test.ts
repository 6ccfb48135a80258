import { expect, it } from "vitest";
import { createRunTally } from "./run-tally.ts";

const target = { kind: "workflow" as const, slug: "mail" };
const failed = { target, hasFailed: true, durationMs: 20 };
const went = { target, hasFailed: false, durationMs: 20 };

it("a retry is a failed attempt that is followed by another, and neither it nor a sleep is an end", () => {
  const tally = createRunTally();
  tally.started({ target, latencyMs: 2 });
  tally.ended({ ...went, status: "waiting" });
  tally.ended({ ...failed, status: "waiting" });
  tally.ended({ ...went, status: "queued" });
  tally.ended({ ...failed, status: "failed", durationMs: null });
  const [mail] = tally.read();
  expect(mail).toMatchObject({ target, started: 1, retried: 1, finished: { failed: 1 } });
  expect(mail?.durations.counts.reduce((all, count) => all + count)).toBe(3);
});

it("a clock that was set back makes no run start before it was recorded", () => {
  const tally = createRunTally();
  tally.started({ target, latencyMs: -5_000 });
  expect(tally.read()[0]?.startLatencies).toMatchObject({ sum: 0 });
});

it("a workflow and an agent of the same name are counted apart", () => {
  const tally = createRunTally();
  for (const kind of ["workflow", "agent", "agent"] as const)
    tally.started({ target: { kind, slug: "triage" }, latencyMs: 1 });
  expect(tally.read().map(({ target: { kind }, started }) => [kind, started])).toEqual([
    ["workflow", 1],
    ["agent", 2],
  ]);
});
