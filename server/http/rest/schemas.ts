import { z } from "@hono/zod-openapi";
import { agentTraceSchema } from "../../contract/agent/trace.ts";
import { alertMessageSchema, alertSchema, alertTestSchema } from "../../contract/alert.ts";
import { backtestSchema, firingChangeSchema, inputFailureSchema } from "../../contract/backtest.ts";
import { auditActorSchema, auditEntrySchema } from "../../contract/access/audit.ts";
import {
  describedDeliverySchema,
  describedSummarySchema,
  evaluatedBodySchema,
  reasonSchema,
  releaseBatchSchema,
  releasedDeliverySchema,
  sentDeliverySchema,
  unlistedVerdictsSchema,
  verdictSchema,
} from "../../contract/delivery.ts";
import { disabledSchema } from "../../contract/disabled.ts";
import { endpoint, runId } from "../../contract/fields.ts";
import { jsonSchema, jsonSchemaObjectSchema } from "../../contract/json.ts";
import { pageSchema } from "../../contract/list.ts";
import { keySchema } from "../../contract/access/key.ts";
import { invitationSchema, personSchema } from "../../contract/access/person.ts";
import { problemErrorSchema, problemSchema } from "../../contract/problem.ts";
import { runFilterSchema } from "../../contract/filters.ts";
import { bulkPageSchema } from "../../contract/run-bulk.ts";
import { flowSimulationSchema } from "../../contract/flow-simulation.ts";
import { runErrorSchema, runSchema, runStepSchema, runSummarySchema, runsUsageSchema } from "../../contract/run.ts";
import { slugSchema } from "../../contract/project/endpoint.ts";
import { driftReportSchema } from "../../contract/drift.ts";
import {
  buildOutlineSchema,
  buildSchema,
  buildsSchema,
  misfitSchema,
  openRunCheckSchema,
} from "../../contract/project/build.ts";
import { targetSchema } from "../../contract/project/target.ts";
import { timelineEntrySchema } from "../../contract/timeline.ts";
import type { StartedRun } from "../../domain/runs/start-key.ts";
import { inferredTriggerSchema } from "../../triggers/infer-trigger.ts";
import { triggerSchema } from "../../triggers/read-triggers.ts";

/**
 * The contract's schemas under their names in the OpenAPI document. If a schema contains another one, the inner schema
 * is replaced by its named copy, so that the document refers to it instead of repeating it.
 */

/** Any JSON value. OpenAPI needs the registration, because a custom Zod schema has no JSON Schema. */
z.globalRegistry.add(jsonSchema, { type: ["object", "array", "string", "number", "boolean", "null"] });

/**
 * The document without the `type` of schemas that accept any JSON value. Generators read a list of all types as an
 * object without properties.
 */
export function withoutAnyType<Part>(part: Part): Part {
  return JSON.parse(JSON.stringify(part), (key, value: unknown) =>
    key === "type" && Array.isArray(value) && value.length === 6 ? undefined : value,
  ) as Part;
}
z.globalRegistry.add(jsonSchemaObjectSchema, { description: "JSON Schema, 2020-12" });

/** Unlike `.nullable()`, keeps the name of the schema. */
const orNull = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.null()]);

/** A copy with other schemas for some properties, which keep their texts. */
function replaceProperties<
  Base extends z.core.$ZodLooseShape,
  Config extends z.core.$ZodObjectConfig,
  Shape extends z.core.$ZodLooseShape,
>(schema: z.ZodObject<Base, Config>, shape: Shape) {
  const described = Object.entries<z.ZodType>(shape).map(([name, inner]) => {
    const text = schema.shape[name]?.description;
    return [name, text === undefined ? inner : inner.describe(text)];
  });
  return schema.extend(Object.fromEntries(described) as Shape);
}

/** A copy under a name, with other schemas for the properties of `shape`. */
function named<
  Base extends z.core.$ZodLooseShape,
  Config extends z.core.$ZodObjectConfig,
  Shape extends z.core.$ZodLooseShape = Record<never, never>,
>(name: string, schema: z.ZodObject<Base, Config>, shape = {} as Shape) {
  return replaceProperties(schema, shape).openapi(name);
}

const target = named("Target", targetSchema);
const reason = named("Reason", reasonSchema);
const runError = named("RunError", runErrorSchema);

export const verdict = named("Verdict", verdictSchema, { target: orNull(target), reasons: z.array(reason) });
const unlistedVerdicts = named("UnlistedVerdicts", unlistedVerdictsSchema);
export const problem = named("Problem", problemSchema, {
  errors: z.array(named("ProblemError", problemErrorSchema)).max(20).optional(),
});
export const run = named("Run", runSchema, { target, error: orNull(runError) });
export const runSummary = named("RunSummary", runSummarySchema, { target });
export const runStep = named("RunStep", runStepSchema);
export const timelineEntry = named("TimelineEntry", timelineEntrySchema, { error: orNull(runError) });
const partsOfDelivery = {
  problem: orNull(problem),
  verdicts: z.array(verdict),
  unlistedVerdicts: z.array(unlistedVerdicts),
};
export const deliverySummary = named("DeliverySummary", describedSummarySchema, partsOfDelivery);
export const delivery = named("Delivery", describedDeliverySchema, {
  ...partsOfDelivery,
  evaluated: orNull(named("EvaluatedBody", evaluatedBodySchema)),
});
export const currentVerdicts = deliverySummary
  .pick({ verdicts: true, unlistedVerdicts: true })
  .openapi("CurrentVerdicts");
const startedRun = z.object({ runId, trigger: slugSchema.describe("Slug of the trigger."), target });
export const sentDelivery = named("SentDelivery", sentDeliverySchema, {
  runs: z.array(startedRun),
  problem: orNull(problem),
});
export const releasedDelivery = named("ReleasedDelivery", releasedDeliverySchema, {
  runs: z.array(startedRun.extend({ runId: runId.nullable() })),
});
export const releaseBatch = named("ReleaseBatch", releaseBatchSchema, { data: z.array(releasedDelivery) });
export const build = named("Build", buildSchema);
export const buildList = replaceProperties(buildsSchema, { data: z.array(build) });
export const buildOutline = named("BuildOutline", buildOutlineSchema);
const misfit = named("Misfit", misfitSchema, { target });
export const openRunCheck = named("OpenRunCheck", openRunCheckSchema, { data: z.array(misfit) });
const disabled = named("Disabled", disabledSchema);
export const trigger = named("Trigger", triggerSchema, { target: orNull(target), disabled: orNull(disabled) });
export const switchedTrigger = trigger.pick({ slug: true, disabled: true }).openapi("SwitchedTrigger");
export const key = named("Key", keySchema);
export const createdKey = named("CreatedKey", keySchema, {
  secret: z.string().describe("The secret key. An API token is shown only once."),
});

export const person = named("Person", personSchema);
export const invitationLink = named("InvitationLink", invitationSchema, {
  url: z.string().describe("The link. It works once and is shown only once."),
});
export const auditEntry = named("AuditEntry", auditEntrySchema, {
  actor: named("AuditActor", auditActorSchema),
});

export const startedRuns = z
  .object({
    ok: z.literal(true).describe("Always `true`."),
    runId: z.string().describe("Id of the first entry of `runs`."),
    runs: z
      .array(
        z.object({
          runId,
          trigger: slugSchema.nullable().describe("Slug of the trigger. `null`: the target was started without one."),
          target,
        }),
      )
      .describe("The started runs, in the order of their attachment ids."),
  })
  .openapi("StartedRuns");

export const skipped = z
  .object({ ok: z.literal(true).describe("Always `true`."), skipped: z.literal(true).describe("No run was started.") })
  .openapi("Skipped");

export const triggerUrl = z
  .object({
    endpoint,
    url: z.string().describe("The URL."),
    keyId: z.string().nullable().describe("Id of the key in the URL. `null`: the URL has no key."),
  })
  .openapi("TriggerUrl");

const changedTrigger = replaceProperties(backtestSchema.shape.triggers.element, {
  target: orNull(target),
  changes: z.array(named("FiringChange", firingChangeSchema, { reasons: z.array(reason) })),
  failures: z.array(named("InputFailure", inputFailureSchema)),
});
export const backtest = named("Backtest", backtestSchema, { triggers: z.array(changedTrigger) });

export const inferredTrigger = named("InferredTrigger", inferredTriggerSchema);
export const driftReport = named("DriftReport", driftReportSchema);

export const runFilterBody = named("RunFilter", runFilterSchema);
const runNote = named("RunNote", bulkPageSchema.shape.skipped.element);
export const bulkPage = named("BulkPage", bulkPageSchema, { skipped: z.array(runNote), failed: z.array(runNote) });

export const flowSimulation = named("FlowSimulation", flowSimulationSchema);
export const runsUsage = named("RunsUsage", runsUsageSchema);
export const agentTrace = named("AgentTrace", agentTraceSchema);

const alert = named("Alert", alertSchema, {
  messages: z.array(named("AlertMessage", alertMessageSchema)),
});
export const alertList = pageSchema(alert);
export const alertTest = named("AlertTest", alertTestSchema);

export const json = jsonSchema;

/** A list without pages. */
export function listOf<Row extends z.ZodType>(row: Row) {
  return z.object({ data: z.array(row).describe("The entries.") });
}

/** The response with the started runs, in the form of a webhook's response. */
export function startedResponse({ runs, isRepeat }: { runs: StartedRun[]; isRepeat: boolean }) {
  const runId = runs[0]?.runId ?? "";
  return {
    response: { ok: true as const, runId, runs },
    headers: { Location: `/api/v1/runs/${runId}`, ...(isRepeat && { "Idempotent-Replayed": "true" }) },
  };
}
