import { expect, it } from "vitest";
import { withAgent } from "../http/rest/testing/agent-fixture.ts";
import { projectFixture } from "../http/rest/testing/project-fixture.ts";
import { getTarget } from "./get-target.ts";

const detailsOf = (modelId: string) =>
  getTarget(
    { project: { current: () => withAgent(projectFixture(), { model: { provider: "openai.chat", modelId } }) } },
    { kind: "agent", slug: "triage" },
  );

it("an agent is shown with its model, the price of that, and what starts it with which prompt", () => {
  const { agent, attachments } = detailsOf("gpt-5-mini-2025-08-07");
  expect(agent).toMatchObject({
    instructions: "Sort.",
    maxSteps: 20,
    price: { input: 0.25, output: 2 },
    tools: [{ name: "findCustomer" }, { name: "refund" }],
  });
  expect(attachments).toEqual([
    {
      attachmentId: "new-ticket:triage",
      trigger: "new-ticket",
      endpoint: "tickets",
      prompt: { kind: "template", text: "New ticket from {{ email }}" },
    },
  ]);
});

it("a price that nobody knows is none, and a workflow is no agent", () => {
  expect(detailsOf("of-my-own").agent?.price).toBeNull();
  expect(
    getTarget({ project: { current: () => projectFixture() } }, { kind: "workflow", slug: "notify" }).agent,
  ).toBeNull();
});
