import * as fc from "fast-check";
import { expect, it } from "vitest";
import { agentStepNames, describeAgentStep, readAgentStep } from "./agent-steps.ts";

const number = fc.integer({ min: 1, max: 999 });

it("every name that an agent's run writes is read as what it is", () => {
  fc.assert(
    fc.property(number, number, fc.integer({ min: 0, max: 99 }), fc.string({ minLength: 1, maxLength: 64 }), (...p) => {
      const [call, attempt, index, toolName] = p;
      const model = agentStepNames.model(call, attempt);
      expect(readAgentStep(model)).toEqual({ kind: "model", call, attempt });
      expect(readAgentStep(agentStepNames.pause(model))).toEqual({ kind: "pause", call, attempt });
      const name = agentStepNames.call(call, index, toolName);
      expect(readAgentStep(agentStepNames.tool(name))).toEqual({ kind: "tool", toolName });
      expect(readAgentStep(agentStepNames.approval(name))).toEqual({ kind: "approval", toolName });
      expect(readAgentStep(agentStepNames.approvalNeed(name))).toEqual({ kind: "question", toolName });
    }),
  );
});

it("a step of the project is not read as an agent's", () => {
  for (const name of ["tool of my own", "model", "model one", "approval"]) expect(describeAgentStep(name)).toBeNull();
});
