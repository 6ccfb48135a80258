import examples from "@octokit/webhooks-examples" with { type: "json" };
import { describe, expect } from "vitest";
import { z } from "zod";
import { events } from "../sdk/sources/github/event-data.ts";
import type { Run } from "../server/contract/run.ts";
import { getJson, waitForRun } from "./support/api.ts";
import { writeProject } from "./support/project.ts";
import { withSharedService } from "./support/service.ts";

const it = withSharedService((onCleanup) => ({ projectDir: writeProject(projectFiles(), onCleanup), command: "dev" }));

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
    request: `z.object({ action: z.string().default("none"), organization: z.object({ login: z.string() }).optional() })`,
    filter: `z.object({ installation: z.object({ id: z.number() }) })`,
  },
};

const payloads = examples.flatMap((event) => event.examples as unknown[]);

/** Each example with its kind, and with its event if `github.on()` knows it. */
const kinds = examples.flatMap(({ name, examples: ofKind }) =>
  (ofKind as unknown[] as { action?: string }[]).map((payload) => {
    const event = payload.action === undefined ? name : `${name}.${payload.action}`;
    return { name, payload, event: Object.hasOwn(events, event) ? event : null };
  }),
);

describe("GitHub's own example payloads", () => {
  it("all 329, posted to a dozen triggers on one endpoint, start exactly the triggers whose schemas Zod accepts", async ({
    service,
  }) => {
    expect(payloads).toHaveLength(329);
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
  });

  it("all 329, each sent with its X-GitHub-Event, start exactly the triggers written for its kind and its event", async ({
    service,
  }) => {
    let sent = 0;
    let typed = 0;
    let last = "";
    for (const { name, payload, event } of kinds) {
      const response = await fetch(`${service.url}/triggers/github/kinds`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "X-GitHub-Event": name,
          "X-GitHub-Delivery": `72d3162e-cc78-11e3-81ab-${sent}`,
        },
        body: JSON.stringify(payload),
      });
      const { runs } = (await response.json()) as { runs: { runId: string; trigger: string }[] };
      const expected = [`kind-${slugOf(name)}`, ...(event === null ? [] : [`on-${slugOf(event)}`])];
      expect([response.status, runs.map(({ trigger }) => trigger).sort()]).toEqual([202, expected.sort()]);
      sent += 1;
      typed += event === null ? 0 : 1;
      last = runs[0]?.runId ?? "";
    }
    expect(sent).toBe(329);
    expect(typed).toBeGreaterThan(300);
    expect(await waitForRun(service, last)).toMatchObject({ status: "completed" });
    const failed = await getJson<{ data: Run[] }>(`${service.url}/api/v1/runs?status=failed`);
    expect(failed.data).toEqual([]);
  });
});

function slugOf(name: string): string {
  return name.replaceAll(/[_.]+/g, "-");
}

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
  return { "workflows/keep.ts": keep, ...Object.fromEntries(sources), ...kindFiles() };
}

/** On one endpoint: a trigger for each kind, by its header, and a typed source for each event. */
function kindFiles(): Record<string, string> {
  const names = [...new Set(kinds.map(({ name }) => name))];
  const known = [...new Set(kinds.flatMap(({ event }) => (event === null ? [] : [event])))];
  const ofKinds = names.map((name) => [
    `triggers/kinds/${name}.ts`,
    `import { defineWebhookSource } from "signalbox/trigger";
     import { z } from "zod";
     import keep from "../../workflows/keep";
     export default defineWebhookSource({ slug: "kind-${slugOf(name)}", endpoint: "github/kinds", dedupe: { header: "x-github-delivery" }, headers: z.object({ "x-github-event": z.literal("${name}") }), request: z.object({ sender: z.object({ login: z.string() }).optional() }) }).attach({ workflow: keep });`,
  ]);
  const ofEvents = known.map((event) => [
    `triggers/events/${event}.ts`,
    `import { github } from "signalbox/sources/github";
     import keep from "../../workflows/keep";
     export default github.on("${event}", { slug: "on-${slugOf(event)}", endpoint: "github/kinds", pick: [] }).attach({ workflow: keep });`,
  ]);
  return Object.fromEntries([...ofKinds, ...ofEvents]);
}
