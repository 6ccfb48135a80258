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
import { jsonSchema, jsonSchemaObjectSchema } from "../../contract/json.ts";
import { pageSchema } from "../../contract/list.ts";
import { keySchema } from "../../contract/access/key.ts";
import { invitationSchema, personSchema } from "../../contract/access/person.ts";
import { problemErrorSchema, problemSchema } from "../../contract/problem.ts";
import { runFilterSchema } from "../../contract/filters.ts";
import { bulkPageSchema } from "../../contract/run-bulk.ts";
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

/**
 * A copy under a name. The contract's own instances may be older than the extension that gives schemas their
 * `.openapi()`.
 */
const named = <Schema extends z.ZodType>(name: string, schema: Schema): Schema => schema.clone().openapi(name);

const target = named("Target", targetSchema);
const reason = named("Reason", reasonSchema);
const runError = named("RunError", runErrorSchema);

export const verdict = verdictSchema.extend({ target, reasons: z.array(reason) }).openapi("Verdict");
const unlistedVerdicts = named("UnlistedVerdicts", unlistedVerdictsSchema);
export const problem = problemSchema
  .extend({ errors: z.array(named("ProblemError", problemErrorSchema)).max(20).optional() })
  .openapi("Problem");
export const run = runSchema.extend({ target, error: orNull(runError) }).openapi("Run");
export const runSummary = runSummarySchema.extend({ target }).openapi("RunSummary");
export const runStep = named("RunStep", runStepSchema);
export const timelineEntry = timelineEntrySchema.extend({ error: orNull(runError) }).openapi("TimelineEntry");
export const deliverySummary = describedSummarySchema
  .extend({ problem: orNull(problem), verdicts: z.array(verdict), unlistedVerdicts: z.array(unlistedVerdicts) })
  .openapi("DeliverySummary");
export const delivery = describedDeliverySchema
  .extend({
    problem: orNull(problem),
    verdicts: z.array(verdict),
    unlistedVerdicts: z.array(unlistedVerdicts),
    evaluated: orNull(named("EvaluatedBody", evaluatedBodySchema)),
  })
  .openapi("Delivery");
export const currentVerdicts = z
  .object({ verdicts: z.array(verdict), unlistedVerdicts: z.array(unlistedVerdicts) })
  .openapi("CurrentVerdicts");
export const sentDelivery = sentDeliverySchema
  .extend({
    runs: z.array(z.object({ runId: z.string(), trigger: slugSchema, target })).openapi({
      description: "The started runs. Empty if nothing was started, e.g. for the repeat of an accepted event.",
    }),
    problem: orNull(problem),
  })
  .openapi("SentDelivery");
export const releasedDelivery = releasedDeliverySchema
  .extend({
    runs: z.array(z.object({ runId: z.string().nullable(), trigger: slugSchema, target })).openapi({
      description: "The started runs. In a dry run, `runId` is `null`.",
    }),
  })
  .openapi("ReleasedDelivery");
export const releaseBatch = releaseBatchSchema.extend({ data: z.array(releasedDelivery) }).openapi("ReleaseBatch");
export const build = named("Build", buildSchema);
export const buildList = buildsSchema.extend({ data: z.array(build) });
export const buildOutline = named("BuildOutline", buildOutlineSchema);
const misfit = misfitSchema.extend({ target }).openapi("Misfit");
export const openRunCheck = openRunCheckSchema.extend({ data: z.array(misfit) }).openapi("OpenRunCheck");
const disabled = named("Disabled", disabledSchema);
export const trigger = triggerSchema.extend({ target, disabled: orNull(disabled) }).openapi("Trigger");
export const switchedTrigger = z.object({ slug: slugSchema, disabled: orNull(disabled) }).openapi("SwitchedTrigger");
export const key = named("Key", keySchema);
export const createdKey = keySchema
  .extend({ secret: z.string().openapi({ description: "The secret key. An API token is shown only once." }) })
  .openapi("CreatedKey");

export const person = named("Person", personSchema);
export const invitationLink = invitationSchema
  .extend({ url: z.string().openapi({ description: "The link. It works once and is shown only once." }) })
  .openapi("InvitationLink");
export const auditEntry = auditEntrySchema
  .extend({ actor: named("AuditActor", auditActorSchema), detail: jsonSchema })
  .openapi("AuditEntry");

export const startedRuns = z
  .object({
    ok: z.literal(true),
    runId: z.string().openapi({ description: "Id of the first entry of `runs`." }),
    runs: z.array(z.object({ runId: z.string(), trigger: slugSchema.nullable(), target })),
  })
  .openapi("StartedRuns");

export const skipped = z.object({ ok: z.literal(true), skipped: z.literal(true) }).openapi("Skipped");

export const triggerUrl = z
  .object({ endpoint: z.string(), url: z.string(), keyId: z.string().nullable() })
  .openapi("TriggerUrl");

const changedTrigger = backtestSchema.shape.triggers.element.extend({
  target,
  changes: z.array(firingChangeSchema.extend({ reasons: z.array(reason) }).openapi("FiringChange")),
  failures: z.array(named("InputFailure", inputFailureSchema)),
});
export const backtest = backtestSchema.extend({ triggers: z.array(changedTrigger) }).openapi("Backtest");

export const inferredTrigger = named("InferredTrigger", inferredTriggerSchema);
export const driftReport = named("DriftReport", driftReportSchema);

export const runFilterBody = named("RunFilter", runFilterSchema);
const runNote = z.object({ id: z.string(), message: z.string() }).openapi("RunNote");
export const bulkPage = bulkPageSchema
  .extend({ skipped: z.array(runNote), failed: z.array(runNote) })
  .openapi("BulkPage");

export const runsUsage = named("RunsUsage", runsUsageSchema);
export const agentTrace = named("AgentTrace", agentTraceSchema);

const alert = alertSchema
  .extend({ messages: z.array(named("AlertMessage", alertMessageSchema)), detail: z.record(z.string(), jsonSchema) })
  .openapi("Alert");
export const alertList = pageSchema(alert);
export const alertTest = named("AlertTest", alertTestSchema);

export const json = jsonSchema;

/** The response with the started runs, in the form of a webhook's response. */
export function startedResponse({ runs, isRepeat }: { runs: StartedRun[]; isRepeat: boolean }) {
  const runId = runs[0]?.runId ?? "";
  return {
    response: { ok: true as const, runId, runs },
    headers: { Location: `/api/v1/runs/${runId}`, ...(isRepeat && { "Idempotent-Replayed": "true" }) },
  };
}
