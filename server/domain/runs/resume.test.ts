import { expect, it } from "vitest";
import { runStatusSchema } from "../../contract/run.ts";
import { findReplayObstacle, notResumable, planResume } from "./resume.ts";
import { isEnded, mayBecome } from "../../shared/runs/run-state.ts";

const order = { now: 9, version: "v2", attempts: 3, seenAttempt: 4 };
const plan = (given: Partial<Parameters<typeof planResume>[0]>) =>
  planResume({ status: "failed", attempt: 4, replayedAs: null, ...given }, order);

it("a resume returns a failed run to the queue of another build, with all attempts again", () => {
  for (const status of ["failed", "timed_out"] as const)
    expect(plan({ status })).toMatchObject({
      obstacle: null,
      change: { status: "queued", version: "v2", attemptsBefore: 4, maxAttempts: 7, finishedAt: null, resumedAt: 9 },
      entry: { at: 9, kind: "resume_requested", attempt: 4 },
    });
});

it("a resume changes no run whose state does not allow it", () => {
  const others = runStatusSchema.options.filter((status) => !(isEnded(status) && mayBecome(status, "queued")));
  expect(others).toEqual(["queued", "running", "waiting", "completed", "canceled"]);
  expect(others.map((status) => plan({ status }))).toEqual(
    others.map((status) => ({ obstacle: { kind: "status", status } })),
  );
});

it("a run that was replayed, or has failed again since it was read, is not resumed", () => {
  expect(plan({ replayedAs: "run_2" })).toEqual({ obstacle: { kind: "replayed", as: "run_2" } });
  expect(plan({ attempt: 5 })).toEqual({ obstacle: { kind: "resumed" } });
});

it("only an ended run without a replay gets one from a bulk action", () => {
  const free = runStatusSchema.options.filter((status) => findReplayObstacle({ status, replayedAs: null }) === null);
  expect(free).toEqual(runStatusSchema.options.filter(isEnded));
  expect(findReplayObstacle({ status: "failed", replayedAs: "run_2" })).toEqual({ kind: "replayed", as: "run_2" });
});

it("every reason says what to do instead", () => {
  expect(notResumable("run_1", { kind: "status", status: "timed_out" }).message).toContain("run_1");
  expect(notResumable("run_1", { kind: "status", status: "completed" }).message).toContain("Replay it");
  expect(notResumable("run_1", { kind: "status", status: "waiting" }).message).toContain("continues by itself");
  expect(notResumable("run_1", { kind: "replayed", as: "run_2" }).message).toContain("run_2");
  expect(notResumable("run_1", { kind: "resumed" }).message).toContain("resume it again");
});
