import examples from "@octokit/webhooks-examples" with { type: "json" };
import { expect, it } from "vitest";
import { events } from "../sdk/sources/github/event-data.ts";
import type { Run } from "../server/contract/run.ts";
import { getJson, waitForRun } from "./support/api.ts";
import { writeProject } from "./support/project.ts";
import { startService } from "./support/service.ts";

/** Each of GitHub's own examples with its kind, and with its event if `github.on()` knows it. */
const kinds = examples.flatMap(({ name, examples: ofKind }) =>
  (ofKind as unknown[] as { action?: string }[]).map((payload) => {
    const event = payload.action === undefined ? name : `${name}.${payload.action}`;
    return { name, payload, event: Object.hasOwn(events, event) ? event : null };
  }),
);

it("all 329 examples of GitHub, each sent with its X-GitHub-Event, start exactly the triggers written for its kind and its event", async () => {
  const service = await startService({ projectDir: writeProject(projectFiles()), command: "dev" });
  let sent = 0;
  let typed = 0;
  let last = "";
  for (const { name, payload, event } of kinds) {
    const response = await fetch(`${service.url}/triggers/github`, {
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

function slugOf(name: string): string {
  return name.replaceAll(/[_.]+/g, "-");
}

/** On one endpoint: a trigger for each kind, by its header, and a typed source for each event. */
function projectFiles(): Record<string, string> {
  const keep = `
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({ slug: "keep", input: z.json(), run: () => undefined });`;
  const names = [...new Set(kinds.map(({ name }) => name))];
  const known = [...new Set(kinds.flatMap(({ event }) => (event === null ? [] : [event])))];
  const ofKinds = names.map((name) => [
    `triggers/kinds/${name}.ts`,
    `import { defineWebhookSource } from "signalbox/trigger";
     import { z } from "zod";
     import keep from "../../workflows/keep";
     export default defineWebhookSource({ slug: "kind-${slugOf(name)}", endpoint: "github", dedupe: { header: "x-github-delivery" }, headers: z.object({ "x-github-event": z.literal("${name}") }), request: z.object({ sender: z.object({ login: z.string() }).optional() }) }).attach({ workflow: keep });`,
  ]);
  const ofEvents = known.map((event) => [
    `triggers/events/${event}.ts`,
    `import { github } from "signalbox/sources/github";
     import keep from "../../workflows/keep";
     export default github.on("${event}", { slug: "on-${slugOf(event)}", endpoint: "github", pick: [] }).attach({ workflow: keep });`,
  ]);
  return { "workflows/keep.ts": keep, ...Object.fromEntries([...ofKinds, ...ofEvents]) };
}
