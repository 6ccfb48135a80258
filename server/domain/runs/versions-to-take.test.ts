import * as fc from "fast-check";
import { expect, it } from "vitest";
import { type LiveVersion, versionsToTake } from "./versions-to-take.ts";

it("a build that is alone takes every run", () => {
  expect(versionsToTake("v1", [])).toEqual({ allBut: [] });
  expect(versionsToTake("v1", [{ version: "v1", beganAt: 5 }])).toEqual({ allBut: [] });
});

it("of several builds each takes its own runs, and the newest also those of builds without workers", () => {
  const live = [
    { version: "v1", beganAt: 1 },
    { version: "v2", beganAt: 2 },
  ];
  expect(versionsToTake("v1", live)).toEqual({ only: "v1" });
  expect(versionsToTake("v2", live)).toEqual({ allBut: ["v1"] });
});

const names = ["a", "b", "c", "d"];
const someBuilds = fc.uniqueArray(fc.record({ version: fc.constantFrom(...names), beganAt: fc.nat(3) }), {
  selector: ({ version }) => version,
  minLength: 1,
});

function takersOf(builds: LiveVersion[], accepted: string): string[] {
  const takes = (mine: string) => {
    const take = versionsToTake(mine, builds);
    return "only" in take ? take.only === accepted : !take.allBut.includes(accepted);
  };
  return builds.map(({ version }) => version).filter(takes);
}

it("every run is for exactly one of the active builds: for its own if that is active", () => {
  fc.assert(
    fc.property(someBuilds, fc.constantFrom(...names, "gone"), (builds, accepted) => {
      const takers = takersOf(builds, accepted);
      expect(takers).toHaveLength(1);
      expect(takers.includes(accepted)).toBe(builds.some(({ version }) => version === accepted));
    }),
  );
});
