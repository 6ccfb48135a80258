import { expect, it } from "vitest";
import { withAgent } from "../http/rest/testing/agent-fixture.ts";
import { projectFixture } from "../http/rest/testing/project-fixture.ts";
import { listNames } from "./read-triggers.ts";
import { showGraph } from "./show-graph.ts";

const project = { current: () => withAgent(projectFixture()) };

it("agents are on the canvas with their model, their tools and their prompt", async () => {
  const { triggers, targets } = await showGraph({ project, name: "acme", mode: "development" });
  const tools = [
    { name: "findCustomer", needsApproval: "never" },
    { name: "refund", needsApproval: "always" },
  ];
  expect(targets.filter(({ target }) => target.kind === "agent").map(({ target }) => target)).toEqual([
    {
      kind: "agent",
      slug: "triage",
      file: "agents/triage.ts",
      agent: { model: { provider: "openai.chat", modelId: "gpt-5-mini" }, tools },
    },
  ]);
  expect(targets.flatMap(({ target }) => (target.kind === "workflow" ? [target.agent] : []))).toEqual([
    null,
    null,
    null,
  ]);
  expect(triggers.find(({ slug }) => slug === "new-ticket")?.attachments).toMatchObject([
    { prompt: { kind: "template", text: "New ticket from {{ email }}" } },
  ]);
});

it("agents may be chosen by name as workflows may", () => {
  expect(listNames({ project }).targets).toContainEqual({ kind: "agent", slug: "triage" });
});
