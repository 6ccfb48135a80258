import { describe, expect, test } from "vitest";
import { findGrowth } from "./find-growth.ts";
import type { Sample } from "./sample.ts";

const sample = (over: { rssMb?: number; descriptors?: number; walMb?: number }): Sample => ({
  minute: 0,
  processes: ["receiver", "web", "worker", "supervisor"].map((name, pid) => ({
    name,
    pid,
    rssMb: over.rssMb ?? 100,
    pssMb: 50,
    descriptors: over.descriptors ?? 30,
  })),
  walMb: over.walMb ?? 4,
  databaseMb: 100,
  openRuns: 0,
});
const grown = (samples: Sample[]) => findGrowth(samples).flatMap(({ what, isGrowth }) => (isGrowth ? [what] : []));
const hundred = (make: (at: number) => Sample) => Array.from({ length: 100 }, (_, at) => make(at));

describe("findGrowth", () => {
  test("a heap that oscillates around a level does not grow", () => {
    expect(grown(hundred((at) => sample({ rssMb: 100 + (at % 7) * 5 })))).toEqual([]);
  });

  test("memory and descriptors that rise steadily grow", () => {
    expect(grown(hundred((at) => sample({ rssMb: 100 + at })))).toEqual(
      ["receiver", "web", "worker", "supervisor"].map((name) => `resident MiB of ${name}`),
    );
    expect(grown(hundred((at) => sample({ descriptors: 30 + at })))).toEqual(
      ["receiver", "web", "worker", "supervisor"].map((name) => `descriptors of ${name}`),
    );
  });

  test("memory for the warm-up is not growth", () => {
    expect(grown(hundred((at) => sample({ rssMb: at < 8 ? 60 : 180 })))).toEqual([]);
  });

  test("one sample of a WAL that is too large fails", () => {
    expect(grown(hundred((at) => sample({ walMb: at === 50 ? 65 : 4 })))).toEqual([
      "largest WAL MiB, in the first and second half",
    ]);
  });
});
