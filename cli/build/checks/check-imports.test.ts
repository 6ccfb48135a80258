import { expect, it } from "vitest";
import { findCycles } from "./check-imports.ts";

const discovered = {
  triggers: ["triggers/a.ts", "triggers/b.ts"],
  workflows: ["workflows/w.ts", "workflows/x.ts"],
  agents: ["agents/g.ts"],
};
const cyclesOf = (imports: Record<string, string[]>) => findCycles(discovered, new Map(Object.entries(imports)));

it("a cycle through other files is found, once for each trigger, with the target that the trigger imports", () => {
  expect(
    cyclesOf({
      "triggers/a.ts": ["workflows/x.ts"],
      "workflows/x.ts": ["lib/wait.ts", "workflows/w.ts"],
      "workflows/w.ts": ["lib/wait.ts"],
      "lib/wait.ts": ["triggers/a.ts"],
    }),
  ).toEqual([{ trigger: "triggers/a.ts", target: "workflows/x.ts", imported: "lib/wait.ts" }]);
});

it("two triggers whose targets wait for the source of the other one are in a cycle", () => {
  expect(
    cyclesOf({
      "triggers/a.ts": ["workflows/w.ts"],
      "workflows/w.ts": ["triggers/b.ts"],
      "triggers/b.ts": ["agents/g.ts"],
      "agents/g.ts": ["triggers/a.ts"],
    }),
  ).toEqual([
    { trigger: "triggers/a.ts", target: "workflows/w.ts", imported: "triggers/b.ts" },
    { trigger: "triggers/b.ts", target: "agents/g.ts", imported: "triggers/a.ts" },
  ]);
});

it("a workflow that imports another trigger, or a source that its own trigger imports, is in no cycle", () => {
  expect(
    cyclesOf({
      "triggers/a.ts": ["workflows/w.ts", "lib/source.ts"],
      "triggers/b.ts": ["workflows/x.ts"],
      "workflows/w.ts": ["lib/source.ts", "triggers/b.ts"],
    }),
  ).toEqual([]);
});
