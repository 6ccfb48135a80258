import { describe, expect, it } from "vitest";
import { describeRuns, nodeSize, shownTools, successRate, targetName, triggerName } from "./node-content.ts";
import { sampleModel } from "./testing/sample-graph.ts";

/** One with a target, and one without. */
function sampleTriggers() {
  const { triggers } = sampleModel([
    ["billing", "invoice-paid", "post"],
    ["orders", "shipped", null],
  ]);
  const [paid, shipped] = triggers;
  if (!paid || !shipped) throw new Error("unreachable: the graph has two triggers");
  return [paid, shipped] as const;
}

describe("names of nodes", () => {
  it("contain the kind and the status of a node", () => {
    const [paid, shipped] = sampleTriggers();
    expect(triggerName(paid, { passed: 388, headers: 0, query: 0, request: 12, filter: 10, disabled: 0 })).toBe(
      "Trigger invoice-paid, 388 fired, 22 stopped",
    );
    expect(triggerName(paid, undefined, true)).toBe("Trigger invoice-paid, disabled");
    expect(triggerName(shipped, { passed: 3, headers: 0, query: 0, request: 1, filter: 0, disabled: 0 })).toBe(
      "Trigger shipped, wakes runs, 3 matched, 1 stopped",
    );
    expect(targetName({ kind: "workflow", slug: "mail", agent: null }, undefined)).toBe("Workflow mail");
    const tools = [
      { name: "refund", needsApproval: "sometimes" as const },
      { name: "findCustomer", needsApproval: "never" as const },
    ];
    expect(
      targetName(
        { kind: "agent", slug: "triage", agent: { model: { provider: "openai.chat", modelId: "gpt-5-mini" }, tools } },
        undefined,
      ),
    ).toBe("Agent triage, 2 tools, 1 needs approval");
    expect(
      targetName(
        {
          kind: "agent",
          slug: "triage",
          agent: { model: { provider: "scripted-model.chat", modelId: "scripted-model" }, tools: [] },
        },
        undefined,
      ),
    ).toBe("Agent triage, scripted without a model, no tools");
  });

  it("0 % and 100 % are never the result of rounding", () => {
    expect(
      [
        [1, 0],
        [999, 1],
        [9_999, 1],
        [1, 9_999],
        [0, 3],
        [0, 0],
        [91, 9],
      ].map(([completed = 0, failed = 0]) => successRate({ completed, failed })),
    ).toEqual(["100 %", "99.9 %", "99.9 %", "0.1 %", "0 %", null, "91 %"]);
  });

  it("a capped count has a plus sign", () => {
    expect([describeRuns({ runs: 200, isCapped: true }), describeRuns({ runs: 1, isCapped: false })]).toEqual([
      "200+ runs",
      "1 run",
    ]);
  });
});

const agentOf = (...needs: ("never" | "sometimes" | "always")[]) => ({
  model: { provider: "p", modelId: "m" },
  tools: needs.map((needsApproval, index) => ({ name: `t${index}`, needsApproval })),
});

describe("an agent's node", () => {
  it("shows four tools, or three and the number of others, tools that need approval first", () => {
    expect(shownTools(agentOf("never", "always", "never", "never"))).toMatchObject({
      shown: [{ name: "t0" }, { name: "t1" }, { name: "t2" }, { name: "t3" }],
      others: 0,
    });
    expect(shownTools(agentOf("never", "never", "never", "sometimes", "always"))).toMatchObject({
      shown: [{ name: "t3" }, { name: "t4" }, { name: "t0" }],
      others: 2,
    });
  });

  it("has the height of the lines that it shows", () => {
    const heightOf = (agent: ReturnType<typeof agentOf> | null) =>
      nodeSize({
        kind: "target",
        id: "x",
        triggers: [],
        target: {
          kind: agent ? "agent" : "workflow",
          slug: "x",
          file: "",
          agent,
        },
      }).height;
    const [none, one, two, many] = [
      null,
      agentOf(),
      agentOf("never"),
      agentOf("never", "never", "never", "never", "never", "never"),
    ].map(heightOf);
    expect([one, two, many].map((height = 0) => (height - (none ?? 0) - 2) / 19)).toEqual([1, 2, 5]);
  });
});
