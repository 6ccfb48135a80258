import { describe, expect, it } from "vitest";
import { type FakeRoute, runFakeCli } from "../testing/fake-host.ts";

const until = "2026-11-21T10:00:00.000Z";
const nothing = { done: 0, runs: [], skipped: [], failed: [], nextCursor: null, until };
const run = (id: string, replayedAs: string | null = null) => ({ id, replayedAs });

/** Runs a command over these pages. Returns its output and the bodies of its calls. */
async function act(line: string, pages: readonly object[], count = 3) {
  const bodies: unknown[] = [];
  const answers = [...pages];
  const bulk: FakeRoute = ({ body }) => {
    bodies.push(body);
    return { ...nothing, ...answers.shift() };
  };
  const counted: FakeRoute = () => ({ count, isCapped: false });
  const routes = { "POST /runs/bulk": bulk, "GET /runs/count": counted };
  return { ...(await runFakeCli(line.split(" "), { routes })), bodies };
}

describe("runs resume and runs replay of several runs", () => {
  it("act page by page, with the first page's time, and print the runs", async () => {
    const { exitCode, stdout, stderr, bodies, asked } = await act(
      "runs resume --trigger new-order --status failed --since 1h",
      [
        { done: 2, runs: [run("run_3"), run("run_2")], nextCursor: "more" },
        { done: 1, runs: [run("run_1")] },
      ],
    );
    const filter = { trigger: "new-order", status: "failed", since: "2026-11-21T09:00:00.000Z", unresolved: true };
    expect(bodies).toEqual([
      { action: "resume", filter, dryRun: false, cursor: null, limit: 50 },
      { action: "resume", filter, dryRun: false, until, cursor: "more", limit: 50 },
    ]);
    expect(asked[0]).toContain("GET /runs/count?");
    expect([exitCode, stdout]).toEqual([0, "run_3\nrun_2\nrun_1\n"]);
    expect(stderr).toContain("Resumed 3 runs.");
  });

  it("stop at the limit, which counts only runs that were taken, and say how to continue", async () => {
    const { bodies, stdout, stderr } = await act("runs replay --unresolved --limit 3", [
      { done: 2, runs: [run("run_9", "run_a"), run("run_8", "run_b")], nextCursor: "more" },
      {
        done: 1,
        runs: [run("run_7", "run_c")],
        skipped: [{ id: "run_6", message: "It has a replay." }],
        nextCursor: "rest",
      },
    ]);
    expect(bodies).toMatchObject([{ limit: 3 }, { limit: 1 }]);
    expect(stdout).toBe("run_a\nrun_b\nrun_c\n");
    expect(stderr).toContain("Replayed 3 runs. 1 run skipped.");
    expect(stderr).toContain("Run the same command again to continue");
  });

  it("say of a dry run with a limit that there are more runs, and not how to continue", async () => {
    const { stderr } = await act("runs resume --unresolved --limit 1 --dry-run", [
      { done: 1, runs: [run("run_9")], nextCursor: "more" },
    ]);
    expect(stderr).toBe("Would resume 1 run.\nThere are more runs beyond the limit.\n");
  });

  it("name the runs that failed, with exit code 1", async () => {
    const { exitCode, stderr } = await act("runs resume --unresolved", [
      { failed: [{ id: "run_1", message: "The queue is full." }] },
    ]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("Resumed 0 runs. 1 run failed:\n  run_1  The queue is full.");
  });

  it("end after the current page when interrupted, with exit code 130", async () => {
    const pages = [
      { done: 1, runs: [run("run_2")], nextCursor: "more" },
      { done: 1, runs: [run("run_1")] },
    ];
    const listeners = process.listeners("SIGINT");
    const interrupted: FakeRoute = () => {
      for (const listener of process.listeners("SIGINT")) if (!listeners.includes(listener)) listener("SIGINT");
      return { ...nothing, ...pages.shift() };
    };
    const routes = { "POST /runs/bulk": interrupted, "GET /runs/count": () => ({ count: 2, isCapped: false }) };
    const { exitCode, stdout, stderr } = await runFakeCli(["runs", "resume", "--unresolved"], { routes });
    expect([exitCode, stdout, pages.length]).toEqual([130, "run_2\n", 1]);
    expect(stderr).toContain("Run the same command again to continue");
    expect(process.listeners("SIGINT")).toEqual(listeners);
  });

  it("print one document with --json, also of a dry run", async () => {
    const { stdout, bodies } = await act("runs replay --status failed --dry-run --json", [
      { done: 1, runs: [run("run_1")] },
    ]);
    expect(bodies).toMatchObject([{ action: "replay", filter: { status: "failed" }, dryRun: true }]);
    expect(JSON.parse(stdout)).toEqual({
      action: "replay",
      isDryRun: true,
      done: 1,
      runs: [run("run_1")],
      skipped: [],
      failed: [],
      isComplete: true,
    });
  });

  it.each([
    ["runs resume", "No run is selected."],
    ["runs replay --limit 5", "No run is selected."],
    ["runs replay run_1 --status failed", "Name one run, or select runs with options, but not both."],
  ])("%s is wrong usage", async (line, message) => {
    const { exitCode, stderr, bodies } = await act(line, []);
    expect([exitCode, bodies]).toEqual([2, []]);
    expect(stderr).toContain(message);
  });
});
