import { expect, it } from "vitest";
import { createRunTally } from "./run-tally.ts";

const failed = { workflow: "mail", hasFailed: true, durationMs: 20 };
const went = { workflow: "mail", hasFailed: false, durationMs: 20 };

it("a retry is a failed attempt that is followed by another, and neither it nor a sleep is an end", () => {
  const tally = createRunTally();
  tally.started({ workflow: "mail", latencyMs: 2 });
  tally.ended({ ...went, status: "waiting" });
  tally.ended({ ...failed, status: "waiting" });
  tally.ended({ ...went, status: "queued" });
  tally.ended({ ...failed, status: "failed", durationMs: null });
  const [mail] = tally.read();
  expect(mail).toMatchObject({ workflow: "mail", started: 1, retried: 1, finished: { failed: 1 } });
  expect(mail?.durations.counts.reduce((all, count) => all + count)).toBe(3);
});

it("a clock that was set back makes no run start before it was recorded", () => {
  const tally = createRunTally();
  tally.started({ workflow: "mail", latencyMs: -5_000 });
  expect(tally.read()[0]?.startLatencies).toMatchObject({ sum: 0 });
});
