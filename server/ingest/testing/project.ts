import type { z } from "zod";
import { exportSchema } from "../../../cli/build/schema/export.ts";
import type { VerificationDefinition } from "../../../sdk/definition.ts";
import type {
  BodyFormat,
  Challenge,
  Dedupe,
  Methods,
  OnMismatch,
  Rate,
  Reply,
} from "../../contract/project/endpoint.ts";
import type { RunKeyParts } from "../../contract/project/run-key.ts";
import { type Manifest, manifestWorkflowSchema } from "../../contract/project/manifest.ts";
import { namedLists } from "../../shared/schema/named-fields.ts";
import type { AnySchema, FieldsSchema, ProjectSources, TriggerSource } from "../../ports/project.ts";

/** One trigger. Default of `target`: the workflow of the same slug. `null`: it has no target. */
export function triggerOf(p: {
  slug: string;
  endpoint?: string;
  target?: string | null;
  request: z.ZodType;
  filter?: z.ZodType;
  headers?: z.ZodType;
  query?: z.ZodType;
  body?: readonly BodyFormat[];
  verify?: VerificationDefinition;
  dedupe?: Dedupe;
  rateLimit?: Rate;
  onMismatch?: OnMismatch;
  reply?: Reply;
  challenges?: readonly Challenge[];
  methods?: Methods;
  key?: RunKeyParts;
}): TriggerSource {
  const target = p.target === null ? null : { kind: "workflow" as const, slug: p.target ?? p.slug };
  return {
    slug: p.slug,
    endpoint: p.endpoint ?? p.slug,
    attachmentId: target ? `${p.slug}:${target.slug}` : p.slug,
    target,
    request: p.request as unknown as AnySchema,
    filter: (p.filter ?? null) as unknown as AnySchema | null,
    headers: fieldsOf(p.headers),
    query: fieldsOf(p.query),
    ...(p.body && { body: p.body }),
    verify: p.verify ?? null,
    dedupe: p.dedupe ?? null,
    rateLimit: p.rateLimit ?? null,
    onMismatch: p.onMismatch ?? null,
    reply: p.reply ?? null,
    challenges: p.challenges ?? [],
    methods: p.methods ?? ["POST"],
    key: p.key ?? null,
  };
}

function fieldsOf(schema: z.ZodType | undefined): FieldsSchema | null {
  return schema ? { schema: schema as unknown as AnySchema, lists: namedLists(exportSchema(schema)) } : null;
}

/** A project with these triggers, in the order that the manifest has them. */
export function projectOf(triggers: readonly TriggerSource[]): ProjectSources {
  const ordered = triggers.toSorted((a, b) => (a.attachmentId < b.attachmentId ? -1 : 1));
  const manifest: Manifest = {
    format: 1,
    version: "v1",
    builtAt: "2026-01-01T00:00:00.000Z",
    name: "test",
    folder: "builds/v1",
    sources: "sources.mjs",
    settings: {},
    triggers: [],
    agents: [],
    environment: { reads: [], readsAny: false, secrets: [] },
    workflows: [...new Set(ordered.flatMap(({ target }) => target?.slug ?? []))].map((slug) =>
      manifestWorkflowSchema.parse({
        slug,
        file: `workflows/${slug}.ts`,
        module: `${slug}.mjs`,
        input: {},
        output: null,
        retries: { attempts: 3, backoff: "exponential", initialMs: 1000, maxMs: 60_000 },
        timeoutMs: 60_000,
      }),
    ),
  };
  return {
    manifest,
    triggers: ordered,
    byEndpoint: Map.groupBy(ordered, ({ endpoint }) => endpoint),
    indexes: new Map(),
  };
}
