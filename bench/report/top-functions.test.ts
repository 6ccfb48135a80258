import { describe, expect, it } from "vitest";
import { summarizeProfile } from "./top-functions.ts";

const frame = (id: number, functionName: string, url = "file:///app/server/store/write.ts") => ({
  id,
  callFrame: { functionName, url, lineNumber: id },
});

describe("summarizeProfile", () => {
  const profile = {
    program: "/app/dist/web.js",
    nodes: [
      frame(1, "(idle)", ""),
      frame(2, "parse"),
      frame(3, "write"),
      frame(4, "", "node:internal/streams"),
      frame(5, "parse"),
      frame(6, "post", "node:inspector"),
    ],
    samples: [2, 1, 3, 5, 4, 6],
    timeDeltas: [1_000, 5_000, 4_000, 1_000, 2_000, 70_000],
  };

  it("lists the function with the most time first, with its share of the busy time", () => {
    const { functions, busyMs, idleMs, program } = summarizeProfile(profile, 2);
    expect({ busyMs, idleMs, program }).toEqual({ busyMs: 8, idleMs: 5, program: "web" });
    expect(functions).toEqual([
      { name: "write", place: "server/store/write.ts:4", ms: 4, part: 0.5 },
      { name: "(anonymous)", place: "node:internal/streams:5", ms: 2, part: 0.25 },
    ]);
  });

  it("distinguishes functions of one name by their location, and adds up those of one location", () => {
    const same = {
      ...profile,
      nodes: profile.nodes.map((node) =>
        node.id === 5 ? { ...node, callFrame: { ...node.callFrame, lineNumber: 2 } } : node,
      ),
    };
    expect(timesOfParse(profile)).toEqual([1, 1]);
    expect(timesOfParse(same)).toEqual([2]);
  });

  it("does not count the profiler itself", () => {
    expect(summarizeProfile(profile, 9).functions.map(({ name }) => name)).not.toContain("post");
  });

  it("rejects an invalid profile", () => {
    expect(() => summarizeProfile({ nodes: [] }, 1)).toThrow(/samples/);
  });
});

function timesOfParse(json: unknown): number[] {
  return summarizeProfile(json, 9)
    .functions.filter(({ name }) => name === "parse")
    .map(({ ms }) => ms);
}
