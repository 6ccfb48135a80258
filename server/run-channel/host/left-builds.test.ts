import { expect, it, onTestFinished, vi } from "vitest";
import { silentLogger } from "../../ports/logger.ts";
import type { ClaimedRun } from "../../ports/store/engine-store.ts";
import { createLeftBuilds, type LeftBuild } from "./left-builds.ts";

function open() {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: unknown[] = [];
  const reports: LeftBuild[] = [];
  const logger = { ...silentLogger, warn: (_: string, fields?: object) => void lines.push(fields) };
  const left = createLeftBuilds({ logger, onLeft: (one) => void reports.push(one) });
  return { left, lines, reports };
}

const claimed = (id: string, build?: ClaimedRun["build"], slug = "ship"): ClaimedRun => ({
  id,
  workerId: "wrk_1",
  token: "t",
  leaseUntil: 0,
  status: "running",
  trigger: null,
  attachmentId: null,
  target: { kind: "workflow", slug },
  deliveryId: null,
  failureOf: null,
  key: null,
  childOf: null,
  depth: 0,
  attempt: 1,
  maxAttempts: 1,
  attemptsBefore: 0,
  isResumed: false,
  createdAt: 0,
  payloadText: null,
  inputText: null,
  ...(build && { build }),
});
const moved = { acceptedBy: "v1", version: "v3" };
const group = { keptVersions: new Set(["v2"]), latestTargets: new Set(["workflow:latest"]) };

it("logs and reports the runs that leave a build together, each run once, with their sum", () => {
  const { left, lines, reports } = open();
  for (let n = 0; n < 91; n += 1) left.note([claimed(`run_${n}`, moved)], group);
  vi.advanceTimersByTime(1_000);
  expect(reports).toEqual([{ ...moved, runs: 91 }]);
  // They wake after a sleep.
  left.note([claimed("run_1", moved), claimed("run_2", moved), claimed("run_91", moved)], group);
  vi.advanceTimersByTime(1_000);
  expect(reports.slice(1)).toEqual([{ ...moved, runs: 1 }]);
  expect(lines).toEqual([
    { ...moved, runs: 91 },
    { ...moved, runs: 92 },
  ]);
});

it.each<[string, ClaimedRun]>([
  ["a run of the current build", claimed("run_1")],
  ["a run that its own build executes", claimed("run_1", { acceptedBy: "v2", version: "v2" })],
  ["a run whose target follows the latest build", claimed("run_1", moved, "latest")],
  ["a run whose build is kept", claimed("run_1", { acceptedBy: "v2", version: "v3" })],
])("does not report %s", (_, run) => {
  const { left, lines, reports } = open();
  left.note([run], group);
  vi.advanceTimersByTime(10_000);
  expect([lines, reports]).toEqual([[], []]);
});

it("logs at the close what was not logged yet", () => {
  const { left, lines } = open();
  left.note([claimed("run_1", moved)], group);
  left.close();
  expect(lines).toEqual([{ ...moved, runs: 1 }]);
});
