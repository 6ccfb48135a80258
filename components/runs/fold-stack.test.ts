import { describe, expect, it } from "vitest";
import { foldStack } from "./fold-stack.ts";

const frames = [
  "    at post (lib/http.ts:8:9)",
  "    at node:internal/process/task_queues:105:5",
  "    at call (node_modules/undici/index.js:1:2)",
  "    at run (workflows/notify.ts:18:11)",
];

describe("a stack", () => {
  it("collapses consecutive frames of Node and of packages, and keeps the user's own", () => {
    expect(foldStack(["HttpError: 503", ...frames].join("\n"), "503")).toEqual([
      { kind: "line", text: frames[0], isFrame: true },
      { kind: "folded", lines: [frames[1], frames[2]] },
      { kind: "line", text: frames[3], isFrame: true },
    ]);
  });

  it("does not repeat a multi-line message", () => {
    expect(foldStack("Error: one\ntwo\n    at run (a.ts:1:1)", "one\ntwo")).toEqual([
      { kind: "line", text: "    at run (a.ts:1:1)", isFrame: true },
    ]);
  });

  it("keeps a different first line, and the causes", () => {
    expect(
      foldStack("Odd\n    at run (a.ts:1:1)\ncaused by Error: deep", "message").map((part) =>
        part.kind === "line" ? part.text : part.lines,
      ),
    ).toEqual(["Odd", "    at run (a.ts:1:1)", "caused by Error: deep"]);
  });
});
