import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import type { AnySchema } from "../../../ports/project.ts";
import { triggerOf } from "../../../ingest/testing/project.ts";
import { serve } from "../../testing/serve.ts";

const events = createRequire(import.meta.url)("@octokit/webhooks-examples") as { name: string; examples: unknown[] }[];
const payloads = events.flatMap(({ examples }) => examples);

/** Typical shapes, of both versions of Zod. The name of each is its trigger's. */
const sources: Record<string, { request: z.ZodType | z3.ZodTypeAny; filter?: z.ZodType | z3.ZodTypeAny }> = {
  anything: { request: z.looseObject({}) },
  opened: { request: z.object({ action: z.literal("opened"), sender: z.object({ login: z.string() }) }) },
  "closed-or-deleted": { request: z.object({ action: z.enum(["closed", "deleted"]) }) },
  "issue-comment": {
    request: z.object({
      issue: z.object({ number: z.int(), title: z.string() }),
      comment: z.object({ body: z.string().trim() }),
    }),
  },
  "pull-request": {
    request: z.object({
      number: z.int().min(1),
      pull_request: z.looseObject({ draft: z.boolean().optional(), user: z.object({ login: z.string() }) }),
    }),
  },
  push: {
    request: z.object({
      ref: z.string().regex(/^refs\//),
      commits: z.array(z.object({ id: z.string().length(40), message: z.string() })),
    }),
  },
  "ci-passed": {
    request: z.object({ workflow_run: z.object({ id: z.number(), conclusion: z.string().nullable() }) }),
    filter: z.object({ workflow_run: z.object({ conclusion: z.literal("success") }) }),
  },
  "by-codertocat": {
    request: z.object({ sender: z.object({ login: z.string(), id: z.number() }) }),
    filter: z.object({ sender: z.object({ login: z.literal("Codertocat") }) }),
  },
  private: {
    request: z.object({ repository: z.object({ private: z.boolean(), full_name: z.string() }) }),
    filter: z.object({ repository: z.object({ private: z.literal(true) }) }),
  },
  either: {
    request: z.union([
      z.object({ release: z.object({ tag_name: z.string() }) }),
      z.object({ milestone: z.object({ open_issues: z.number() }) }),
    ]),
  },
  tagged: {
    request: z.discriminatedUnion("action", [
      z.object({ action: z.literal("created"), sender: z.object({ id: z.number() }) }),
      z.looseObject({ action: z.literal("edited") }),
    ]),
  },
  defaults: {
    request: z.object({ action: z.string().default("none"), organization: z.object({ login: z.string() }).optional() }),
    filter: z.object({ installation: z.object({ id: z.number() }) }),
  },
  "zod-3-labelled": {
    request: z3.z.object({
      label: z3.z.object({ name: z3.z.string().min(1), color: z3.z.string().length(6) }).passthrough(),
    }),
  },
  "zod-3-repository": {
    request: z3.z.object({ repository: z3.z.record(z3.z.unknown()) }),
    filter: z3.z.object({ repository: z3.z.object({ fork: z3.z.literal(true) }) }),
  },
};
const slugs = Object.keys(sources).sort();
const triggers = slugs.map((slug) => ({
  ...triggerOf({ slug, endpoint: "github", target: "keep", request: z.any() }),
  request: sources[slug]?.request as unknown as AnySchema,
  filter: (sources[slug]?.filter ?? null) as unknown as AnySchema | null,
}));

describe("GitHub's own example payloads, each sent with its X-GitHub-Event header", () => {
  test("all 329 fire exactly the trigger of their kind, and the others say so of the header", async () => {
    const kinds = events.map(({ name }) => name).sort();
    const triggers = kinds.map((kind) =>
      triggerOf({
        slug: kind.replaceAll("_", "-"),
        endpoint: "github",
        target: "keep",
        request: z.looseObject({}),
        headers: z.object({ "x-github-event": z.literal(kind) }),
      }),
    );
    const { url, store } = await serve({ triggers });
    let sent = 0;
    for (const { name, examples } of events) {
      for (const example of examples) {
        sent += 1;
        const response = await fetch(`${url}/triggers/github`, {
          method: "POST",
          headers: { "content-type": "application/json", "X-GitHub-Event": name },
          body: JSON.stringify(example),
        });
        expect(response.status).toBe(202);
        const { runs } = (await response.json()) as { runs: { trigger: string }[] };
        expect(runs.map(({ trigger }) => trigger)).toEqual([name.replaceAll("_", "-")]);
      }
    }
    expect([sent, kinds.length]).toEqual([329, events.length]);
    const { verdicts = [], unlistedVerdicts = [] } = store.deliveries.at(-1) ?? {};
    const missed = verdicts.filter(({ outcome }) => outcome !== "matched");
    expect(new Set(missed.map(({ outcome, reasons }) => `${outcome} ${reasons[0]?.pointer}`))).toEqual(
      new Set(["headers_mismatch /x-github-event"]),
    );
    expect(missed.length + unlistedVerdicts.reduce((sum, { count }) => sum + count, 0)).toBe(kinds.length - 1);
  });

  test("issues.edited and issue_comment.edited, which bodies do not tell apart, fire their own triggers", async () => {
    const triggers = ["issues", "issue_comment"].map((kind) =>
      triggerOf({
        slug: kind.replace("_", "-"),
        endpoint: "github",
        request: z.object({ action: z.literal("edited"), issue: z.object({ number: z.int() }) }),
        headers: z.object({ "x-github-event": z.literal(kind) }),
      }),
    );
    const { url } = await serve({ triggers });
    for (const kind of ["issues", "issue_comment"]) {
      const examples = events.find(({ name }) => name === kind)?.examples as { action: string }[];
      const response = await fetch(`${url}/triggers/github`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-github-event": kind },
        body: JSON.stringify(examples.find(({ action }) => action === "edited")),
      });
      const { runs } = (await response.json()) as { runs: { trigger: string }[] };
      expect(runs.map(({ trigger }) => trigger)).toEqual([kind.replace("_", "-")]);
    }
  });
});

describe("GitHub's own example payloads, posted to one endpoint with many triggers", () => {
  test("all 329 fire exactly the triggers whose schemas match, with the parsed output of request", async () => {
    expect(payloads).toHaveLength(329);
    const { url, store } = await serve({ triggers });
    const fired = new Map<string, number>();
    for (const payload of payloads) {
      const body = JSON.stringify(payload);
      const response = await fetch(`${url}/triggers/github`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-github-event": "any" },
        body,
      });
      const matching = slugs.filter(
        (slug) =>
          sources[slug]?.request.safeParse(payload).success &&
          (sources[slug].filter?.safeParse(payload).success ?? true),
      );
      expect(response.status).toBe(202);
      const { runs } = (await response.json()) as { runs: { runId: string; trigger: string }[] };
      expect(runs.map(({ trigger }) => trigger)).toEqual(matching);
      const stored = store.runs.splice(0);
      expect(stored.map(({ id, trigger, payload }) => ({ id, trigger, payload }))).toEqual(
        runs.map(({ runId, trigger }) => ({ id: runId, trigger, payload: sources[trigger]?.request.parse(payload) })),
      );
      const [delivery] = store.deliveries.splice(0);
      expect((delivery?.verdicts ?? []).map(({ trigger, outcome }) => [trigger, outcome === "matched"])).toEqual(
        slugs.map((slug) => [slug, matching.includes(slug)]),
      );
      expect(Buffer.from(delivery?.body ?? []).toString()).toBe(body);
      for (const slug of matching) fired.set(slug, (fired.get(slug) ?? 0) + 1);
    }
    expect([...fired.keys()].sort()).toEqual(slugs);
  });
});
