import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { buildNote, chooseBuild, type LiveVersion, versionsToTake, type WorkerBuilds } from "./run-builds.ts";

const builds: WorkerBuilds = {
  version: "v3",
  keptVersions: new Set(["v2"]),
  latestTargets: new Set(["workflow:report"]),
};

describe("the build of a run", () => {
  test.for([
    ["that the current build accepted is the current build", "v3", "workflow:order", undefined, undefined],
    ["that a kept build accepted is that build", "v2", "workflow:order", "v2", undefined],
    [
      "of a target with `versions: latest` is the current build",
      "v2",
      "workflow:report",
      "v3",
      "Executed by version v3: it is the latest version, and v2 accepted the run.",
    ],
    [
      "whose build is gone is the current build",
      "v1",
      "workflow:order",
      "v3",
      "Executed by version v3: no worker has version v1, which accepted the run.",
    ],
  ] as const)("%s", ([, accepted, target, executed, message]) => {
    const build = chooseBuild({ version: accepted, target }, builds);
    expect(build).toEqual(executed === undefined ? undefined : { acceptedBy: accepted, version: executed });
    expect(buildNote(build, builds).message).toBe(message);
  });

  it("is always one that the machine has, and no other than the accepting or the current one", () => {
    const version = fc.constantFrom<string>("a", "b", "c", "d");
    fc.assert(
      fc.property(version, version, fc.array(version), fc.boolean(), (accepted, current, kept, isLatest) => {
        const keptVersions = new Set(kept);
        const latestTargets = new Set(isLatest ? ["workflow:order"] : []);
        const run = { version: accepted, target: "workflow:order" };
        const executed = chooseBuild(run, { version: current, keptVersions, latestTargets })?.version ?? current;
        expect(executed === current || keptVersions.has(executed)).toBe(true);
        const isPinned = !isLatest && keptVersions.has(accepted);
        expect(executed).toBe(isPinned ? accepted : current);
      }),
    );
  });
});

const alone = (version: string) => ({ version, keptVersions: new Set<string>() });

it("a build that is alone takes every run", () => {
  expect(versionsToTake(alone("v1"), [])).toEqual({ allBut: [] });
  expect(versionsToTake(alone("v1"), [{ version: "v1", beganAt: 5 }])).toEqual({ allBut: [] });
});

it("of several builds each takes its own runs, and the newest also those of builds without workers", () => {
  const live = [
    { version: "v1", beganAt: 1 },
    { version: "v2", beganAt: 2 },
  ];
  expect(versionsToTake(alone("v1"), live)).toEqual({ only: ["v1"] });
  expect(versionsToTake(alone("v2"), live)).toEqual({ allBut: ["v1"] });
});

it("a machine that keeps an older build takes its runs, too", () => {
  const live = [
    { version: "v1", beganAt: 1 },
    { version: "v2", beganAt: 2, keptVersions: ["v1"] },
  ];
  expect(versionsToTake({ version: "v2", keptVersions: new Set(["v1"]) }, live)).toEqual({ allBut: [] });
});

it("the newest build leaves runs of a build that it does not have to a machine that keeps it", () => {
  const live = [
    { version: "v2", beganAt: 2, keptVersions: ["v1"] },
    { version: "v3", beganAt: 3 },
  ];
  expect(versionsToTake({ version: "v2", keptVersions: new Set(["v1"]) }, live)).toEqual({ only: ["v2", "v1"] });
  expect(versionsToTake(alone("v3"), live)).toEqual({ allBut: ["v2", "v1"] });
});

const names = ["a", "b", "c", "d"];
const someBuilds = fc.uniqueArray(
  fc.record({ version: fc.constantFrom(...names), beganAt: fc.nat(3), keptVersions: fc.subarray(names) }),
  { selector: ({ version }) => version, minLength: 1 },
);

function takersOf(live: readonly (LiveVersion & { keptVersions: string[] })[], accepted: string) {
  return live.filter(({ version, keptVersions }) => {
    const take = versionsToTake({ version, keptVersions: new Set(keptVersions) }, live);
    return "only" in take ? take.only.includes(accepted) : !take.allBut.includes(accepted);
  });
}

it("every run is for the machines that have its build, or for one build if no machine has it", () => {
  fc.assert(
    fc.property(someBuilds, fc.constantFrom(...names, "gone"), (live, accepted) => {
      const has = ({ version, keptVersions }: (typeof live)[number]) =>
        version === accepted || keptVersions.includes(accepted);
      const takers = takersOf(live, accepted);
      expect(takers).toEqual(live.some(has) ? live.filter(has) : takers.slice(0, 1));
      expect(takers).not.toEqual([]);
    }),
  );
});
