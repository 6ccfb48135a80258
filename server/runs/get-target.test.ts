import { expect, it } from "vitest";
import { withAgent } from "../http/rest/testing/agent-fixture.ts";
import { projectFixture } from "../http/rest/testing/project-fixture.ts";
import { openTestService } from "../http/rest/testing/test-service.ts";
import { getTarget, recentInputs } from "./get-target.ts";
import { startTargetRun } from "./start-run.ts";

const target = { kind: "workflow", slug: "record-invoice" } as const;

it("the inputs of a target's newest runs come newest first, each once, ten at most", async () => {
  const service = await openTestService();
  for (const amount of [1, 2, 2, 1, ...Array.from({ length: 10 }, (_, index) => index + 10)]) {
    service.state.now += 1000;
    await startTargetRun(service, { target, input: { amount }, startedBy: "form" });
  }
  const inputs = (await recentInputs(service, target)).map(({ input }) => input);
  expect(inputs).toEqual([19, 18, 17, 16, 15, 14, 13, 12, 11, 10].map((amount) => ({ amount })));
});

it("inputs that are too large together are left out, and small ones still come", async () => {
  const service = await openTestService();
  const sizes = [10, 700_000, 600_000];
  for (const size of sizes) {
    service.state.now += 1000;
    await startTargetRun(service, { target, input: { amount: size, text: "x".repeat(size) }, startedBy: "form" });
  }
  expect((await recentInputs(service, target)).map(({ input }) => input)).toMatchObject([
    { amount: 600_000 },
    { amount: 10 },
  ]);
});

it("there is nothing to start where the project has no such target", async () => {
  const service = await openTestService();
  await expect(
    startTargetRun(service, { target: { kind: "workflow", slug: "record-invoce" }, input: {}, startedBy: "form" }),
  ).rejects.toMatchObject({ code: "not_found", message: expect.stringContaining('Did you mean "record-invoice"?') });
  await expect(
    startTargetRun(service, { target: { kind: "agent", slug: "record-invoice" }, input: {}, startedBy: "form" }),
  ).rejects.toMatchObject({ code: "not_found" });
});

const detailsOf = (modelId: string) =>
  getTarget(
    { project: { current: () => withAgent(projectFixture(), { model: { provider: "openai.chat", modelId } }) } },
    { kind: "agent", slug: "triage" },
  );

it("an agent is shown with its model, the price of that, and what starts it with which prompt", () => {
  const { agent, attachments } = detailsOf("gpt-5-mini-2025-08-07");
  expect(agent).toMatchObject({
    instructions: "Sort.",
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

it("an unknown price is null, and a workflow has no agent details", () => {
  expect(detailsOf("of-my-own").agent?.price).toBeNull();
  expect(
    getTarget({ project: { current: () => projectFixture() } }, { kind: "workflow", slug: "notify" }).agent,
  ).toBeNull();
});
