import { z } from "zod";
import { jsonSchema } from "../../../contract/json.ts";
import { type Manifest, manifestSchema } from "../../../contract/project/manifest.ts";
import type { AnySchema, ProjectCode, ProjectSources, TriggerSource } from "../../../ports/project.ts";

interface FixtureTrigger {
  slug: string;
  endpoint: string;
  target: string;
  request: z.ZodType;
  filter?: z.ZodType;
}

const signup = z.object({ name: z.string().trim().min(1), email: z.email() });
const paid = z.object({ type: z.literal("invoice.paid"), amount: z.number() });

/**
 * One trigger alone on `signup`; on `billing` a trigger with two targets, and another one. In the order of attachment
 * ids.
 */
const triggers: FixtureTrigger[] = [
  { slug: "invoice-paid", endpoint: "billing", target: "notify", request: paid },
  { slug: "invoice-paid", endpoint: "billing", target: "record-invoice", request: paid },
  {
    slug: "new-signup",
    endpoint: "signup",
    target: "welcome-email",
    request: signup,
    filter: z.object({ email: z.string().endsWith("@example.com") }),
  },
  { slug: "refund", endpoint: "billing", target: "notify", request: z.object({ type: z.literal("refund") }) },
];

const workflows: Record<string, z.ZodType> = {
  notify: z.object({}),
  "record-invoice": z.object({ amount: z.number() }),
  "welcome-email": z.object({ to: z.email(), displayName: z.string() }),
};

/** A project as loaded by a web process, optionally without some of its triggers. */
export function projectFixture(without: { triggers?: string[]; workflows?: string[] } = {}): ProjectSources {
  const kept = triggers.filter(({ slug }) => !without.triggers?.includes(slug));
  const sources = kept.map(toSource);
  const slugs = Object.keys(workflows).filter((slug) => !without.workflows?.includes(slug));
  return {
    manifest: toManifest(kept, slugs),
    triggers: sources,
    byEndpoint: Map.groupBy(sources, ({ endpoint }) => endpoint),
    indexes: new Map(),
  };
}

function toSource({ slug, endpoint, target, request, filter }: FixtureTrigger): TriggerSource {
  // Zod types its issues as a closed union; the port accepts those of both Zod versions.
  const parsing = { request: request as unknown as AnySchema, filter: (filter ?? null) as unknown as AnySchema | null };
  return { slug, endpoint, attachmentId: `${slug}:${target}`, target: { kind: "workflow", slug: target }, ...parsing };
}

/** The Zod schemas of the fixture's workflows, as a process with the project's code has them. */
export const fixtureCode: Pick<ProjectCode, "workflow"> = {
  async workflow(slug) {
    const input = workflows[slug];
    return input ? { slug, input: input as unknown as AnySchema, output: null, run() {} } : null;
  },
};

const exported = (schema: z.ZodType) => z.record(z.string(), jsonSchema).parse(z.toJSONSchema(schema, { io: "input" }));

function toManifest(kept: FixtureTrigger[], slugs: string[]): Manifest {
  return manifestSchema.parse({
    format: 1,
    version: "v-test",
    builtAt: "2026-01-01T00:00:00.000Z",
    name: "fixture",
    folder: "builds/v-test",
    sources: "sources.js",
    settings: {},
    triggers: kept.map((trigger) => ({
      ...toSource(trigger),
      file: `triggers/${trigger.slug}.ts`,
      module: `triggers/${trigger.slug}.js`,
      hasTransform: false,
      request: exported(trigger.request),
      filter: trigger.filter ? exported(trigger.filter) : null,
    })),
    workflows: slugs.map((slug) => ({
      slug,
      file: `workflows/${slug}.ts`,
      module: `workflows/${slug}.js`,
      input: exported(workflows[slug] ?? z.unknown()),
      output: null,
      retries: { attempts: 3, backoff: "exponential", initialMs: 1000, maxMs: 3_600_000 },
      timeoutMs: 60_000,
    })),
  });
}
