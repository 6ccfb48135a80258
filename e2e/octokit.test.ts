import examples from "@octokit/webhooks-examples" with { type: "json" };
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Run } from "../server/contract/run.ts";
import { getJson } from "./support/api.ts";
import { writeProject } from "./support/project.ts";
import { signalbox, startService } from "./support/service.ts";

/** A dozen triggers on one endpoint: the source of each schema, so that the project and this test read the same text. */
const triggers: Record<string, { request: string; filter?: string }> = {
  anything: { request: `z.looseObject({})` },
  opened: { request: `z.object({ action: z.literal("opened"), sender: z.object({ login: z.string() }) })` },
  "closed-or-deleted": { request: `z.object({ action: z.enum(["closed", "deleted"]) })` },
  "issue-comment": {
    request: `z.object({ issue: z.object({ number: z.int(), title: z.string() }), comment: z.object({ body: z.string().trim() }) })`,
  },
  "pull-request": {
    request: `z.object({ number: z.int().min(1), pull_request: z.looseObject({ draft: z.boolean().optional(), user: z.object({ login: z.string() }) }) })`,
  },
  push: {
    request: `z.object({ ref: z.string().regex(/^refs\\//), commits: z.array(z.object({ id: z.string().length(40), message: z.string() })) })`,
  },
  "ci-failed": {
    request: `z.object({ workflow_run: z.object({ id: z.number(), conclusion: z.string().nullable() }) })`,
    filter: `z.object({ workflow_run: z.object({ conclusion: z.literal("failure") }) })`,
  },
  "by-codertocat": {
    request: `z.object({ sender: z.object({ login: z.string(), id: z.number() }) })`,
    filter: `z.object({ sender: z.object({ login: z.literal("Codertocat") }) })`,
  },
  private: {
    request: `z.object({ repository: z.object({ private: z.boolean(), full_name: z.string() }) })`,
    filter: `z.object({ repository: z.object({ private: z.literal(true) }) })`,
  },
  labelled: { request: `z.object({ label: z.object({ name: z.string().min(1), color: z.string().length(6) }) })` },
  either: {
    request: `z.union([z.object({ release: z.object({ tag_name: z.string() }) }), z.object({ milestone: z.object({ open_issues: z.number() }) })])`,
  },
  defaults: {
    request: `z.object({ action: z.string().default("none"), organization: z.object({ login: z.string() }).optional(), installation: z.object({ id: z.number().optional() }).optional() })`,
    filter: `z.object({ installation: z.object({ id: z.number() }) })`,
  },
};

const payloads = examples.flatMap((event) => event.examples as unknown[]);

describe("GitHub's own example payloads", () => {
  it("all 329, posted to a dozen triggers on one endpoint, start exactly the triggers whose schemas Zod accepts, and an unchanged build fires the same", async () => {
    expect(payloads).toHaveLength(329);
    const service = await startService({ projectDir: writeProject(projectFiles()), command: "dev" });
    const schemas = Object.entries(triggers).map(([slug, { request, filter }]) => ({
      slug,
      request: schemaOf(request),
      filter: filter ? schemaOf(filter) : null,
    }));
    let fired = 0;
    for (const payload of payloads) {
      const response = await fetch(`${service.url}/triggers/github`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(payload),
      });
      const expected = schemas.filter(
        ({ request, filter }) => request.safeParse(payload).success && (filter?.safeParse(payload).success ?? true),
      );
      expect(response.status).toBe(202);
      const { runs } = (await response.json()) as { runs: { runId: string; trigger: string }[] };
      expect(runs.map((run) => run.trigger)).toEqual(expected.map(({ slug }) => slug).sort());
      fired += runs.length;
      for (const { runId, trigger } of runs) {
        const run = await getJson<Run>(`${service.url}/api/v1/runs/${runId}?wait=30`);
        expect(run).toMatchObject({ status: "completed", trigger });
        expect(run.input).toEqual(expected.find(({ slug }) => slug === trigger)?.request.parse(payload));
      }
    }
    expect(fired).toBeGreaterThan(2 * payloads.length);

    // The unchanged build, evaluating all of them again.
    const args = ["triggers", "test", "--since", "1d", "--json", "--input", "--fail-on-change"];
    const { status, stdout, stderr } = signalbox(args, { cwd: service.projectDir });
    expect(status, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      compared: payloads.length,
      notCompared: [],
      isComplete: true,
      gained: 0,
      lost: 0,
      failed: 0,
      triggers: [],
    });
  });
});

function schemaOf(source: string): z.ZodType {
  // The source is this file's own text.
  return new Function("z", `return ${source}`)(z) as z.ZodType;
}

function projectFiles(): Record<string, string> {
  const keep = `
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({ slug: "keep", input: z.json(), run: () => undefined });`;
  const sources = Object.entries(triggers).map(([slug, { request, filter }]) => [
    `triggers/${slug}.ts`,
    `import { defineWebhookSource } from "signalbox/trigger";
     import { z } from "zod";
     import keep from "../workflows/keep";
     export default defineWebhookSource({ slug: "${slug}", endpoint: "github", request: ${request}, ${filter ? `filter: ${filter}` : ""} }).attach({ workflow: keep });`,
  ]);
  return { "workflows/keep.ts": keep, ...Object.fromEntries(sources) };
}
