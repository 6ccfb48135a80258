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

it("a trigger has the parts of the request that it has schemas for, and their conditions", async () => {
  const sources = projectFixture();
  const schema = { type: "object", properties: { topic: { type: "string", const: "refunds" } }, required: ["topic"] };
  const triggers = sources.manifest.triggers.map((trigger) =>
    trigger.slug === "new-signup" ? { ...trigger, query: schema } : trigger,
  );
  const changed = { current: () => ({ ...sources, manifest: { ...sources.manifest, triggers } }) };
  const graph = await showGraph({ project: changed, name: "acme", mode: "development" });
  expect(graph.triggers.map(({ slug, fieldParts }) => [slug, fieldParts])).toContainEqual(["new-signup", ["query"]]);
  expect(graph.triggers.filter(({ fieldParts }) => fieldParts.length > 0)).toHaveLength(1);
  expect(graph.triggers.find(({ slug }) => slug === "new-signup")?.conditions[0]).toEqual({
    path: "query topic",
    words: "is refunds",
  });
});

it("agents may be chosen by name as workflows may", () => {
  expect(listNames({ project }).targets).toContainEqual({ kind: "agent", slug: "triage" });
});
