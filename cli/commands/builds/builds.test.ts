import { describe, expect, it, test } from "vitest";
import type { OpenRunCheck } from "../../../server/contract/project/build.ts";
import { copyGolden } from "../../build/testing/make-project.ts";
import { runFakeCli } from "../testing/fake-host.ts";
import { describeOpenRuns, summarizeOpenRuns } from "./open-runs.ts";

const builds = {
  data: [
    { id: "newest", builtAt: "2026-01-03T00:00:00.000Z", isCurrent: false, openRuns: 0 },
    { id: "middle", builtAt: "2026-01-02T00:00:00.000Z", isCurrent: true, openRuns: 1_200 },
    { id: "oldest", builtAt: "2026-01-01T00:00:00.000Z", isCurrent: false, openRuns: 3 },
    { id: "gone", builtAt: null, isCurrent: false, openRuns: 2 },
  ],
  previous: "oldest",
  canRollBack: true,
};

describe("builds list", () => {
  it("has the state, the id, the age and the open runs of each build, and says what happens to runs of builds that are gone", async () => {
    const { stdout, stderr } = await runFakeCli(["builds", "list"], { routes: { "GET /builds": () => builds } });
    const rows = stdout.trim().split("\n");
    expect(rows[0]).toMatch(/^STATE +ID +BUILT +OPEN RUNS$/);
    expect(rows[1]).toMatch(/^kept +newest .* 0$/);
    expect(rows[2]).toMatch(/^✓ current +middle .* 1,200$/);
    expect(rows[4]).toMatch(/^⊘ gone +gone +- +2$/);
    expect(stderr).toContain("Open runs of builds that are gone continue on the current build.");
  });
});

const rollBack = async (args: string[], previous: string | null = "oldest") => {
  const asked: string[] = [];
  const answer = (id: string) => () => {
    asked.push(id);
    return { ...builds.data[0], id, isCurrent: true };
  };
  const result = await runFakeCli(["builds", "rollback", ...args], {
    routes: {
      "GET /builds": () => ({ ...builds, previous }),
      "POST /builds/oldest/rollback": answer("oldest"),
      "POST /builds/newest/rollback": answer("newest"),
    },
  });
  return { ...result, asked };
};

describe("builds rollback", () => {
  it("goes to the build before the current one, or to the given one", async () => {
    expect(await rollBack([])).toMatchObject({
      exitCode: 0,
      stdout: "oldest is the current build.\n",
      asked: ["oldest"],
    });
    expect(await rollBack(["newest"])).toMatchObject({ exitCode: 0, asked: ["newest"] });
  });

  it("says so if there is no build before the current one", async () => {
    const { exitCode, stderr, asked } = await rollBack([], null);
    expect({ exitCode, asked }).toEqual({ exitCode: 1, asked: [] });
    expect(stderr).toContain("There is no build before the current one.");
  });
});

const check = (given: Partial<OpenRunCheck>): OpenRunCheck => ({
  openRuns: 1_000,
  checkedRuns: 1_000,
  uncheckedInputs: 0,
  misfits: 0,
  failing: 0,
  data: [],
  neededBuilds: [],
  ...given,
});

const misfit = (runId: string, continuesOn: string) => ({
  runId,
  target: { kind: "workflow" as const, slug: "order" },
  build: "v1",
  problem: "input" as const,
  detail: "input/email: Required",
  continuesOn,
});

test("open runs that all fit are not mentioned", () => {
  expect([describeOpenRuns(check({})), summarizeOpenRuns(check({}))]).toEqual([null, null]);
});

test("open runs that do not fit are counted, and the listed ones named, with what happens to them", () => {
  const some = check({ misfits: 3, failing: 1, data: [misfit("run_a", "v2"), misfit("run_b", "v1")] });
  expect(describeOpenRuns(some)?.split("\n")).toEqual([
    "3 of 1,000 open runs do not fit this build:",
    "  run_a  workflow order, build v1: input/email: Required",
    "  run_b  workflow order, build v1: input/email: Required",
    "  and 1 more",
    "2 continue on the build that accepted them.",
    "1 continues on this build, and fails.",
  ]);
  expect(summarizeOpenRuns(some)).toBe(
    "3 of 1,000 open runs do not fit this build, and 1 of them continues on it: run_a, run_b and 1 more",
  );
});

it("build --check-types fails with the errors of the compiler, and a build without it does not check types", async () => {
  const project = copyGolden("bad-types");
  const { exitCode, stderr } = await runFakeCli(["--project", project, "build", "--check-types"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("lib/totals.ts:7:55");
  expect((await runFakeCli(["--project", project, "build"])).exitCode).toBe(0);
});
