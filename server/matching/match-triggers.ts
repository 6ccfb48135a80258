import { AppError } from "../contract/app-error.ts";
import { type Reason, type Verdict, type VerdictList, type VerdictOutcome, nearestMiss } from "../contract/delivery.ts";
import { type DisabledTriggers, noneDisabled } from "../contract/disabled.ts";
import type { Json } from "../contract/json.ts";
import type { OnMismatch } from "../contract/project/endpoint.ts";
import type { Manifest, ManifestWorkflow } from "../contract/project/manifest.ts";
import { findBuilt, type Target } from "../contract/project/target.ts";
import type { StartedBy } from "../contract/run.ts";
import { type FieldPart, fieldParts, mismatchOf } from "../contract/request-parts.ts";
import type { RecordedHeaders } from "../domain/deliveries/header-values.ts";
import { fieldsFor, type RequestFields, requestFields } from "../domain/deliveries/request-fields.ts";
import { redactVerdicts } from "../domain/privacy/redaction.ts";
import { newId } from "../domain/ids.ts";
import { keyOfRun } from "../domain/runs/run-key.ts";
import { runLimitsOf } from "../domain/runs/run-limits.ts";
import { otherEventCode } from "../shared/deliveries/describe-reason.ts";
import { shortText } from "../shared/json/short-json.ts";
import type { AnySchema, FieldsSchema, TriggerIndex, TriggerSource } from "../ports/project.ts";
import type { NewRun } from "../ports/store/new-run.ts";
import { explainIssues, toProblemErrors } from "./explain/explain.ts";
import { fieldAt } from "./index/discriminators.ts";
import { listNearest } from "./list-nearest.ts";
import { explainFields, restMatches, splitSchema } from "./schemas/fixed-fields.ts";
import { parseBounded } from "./schemas/parse-bounded.ts";
import { toJson } from "./schemas/to-json.ts";

/** What a request starts: the decision on its delivery, which follows from the triggers that match, as Zod decides. */

/** The outcome of a delivery, by the verdicts of the triggers on its request. */
export type Decision = VerdictList & {
  /** The same verdicts, with those of these attachments among the listed ones. */
  listWith(attachmentIds: ReadonlySet<string>): VerdictList;
  /** What runs can wait for: each source that matches, with or without a target, in the order of the triggers. */
  events: { source: string; payload: Json }[];
} & (
    | { outcome: "accepted"; responseStatus: 202; runs: NewRun[] }
    | { outcome: "skipped"; responseStatus: 200; runs: [] }
    | { outcome: "held"; responseStatus: 202; runs: [] }
    | { outcome: "rejected"; responseStatus: 422; runs: []; rejection: AppError }
  );

/**
 * Every trigger that matches gets a run, in the order given. A trigger without a target starts none: if only such
 * triggers match, the body is skipped. If none matches, a body that fails the `request` of the only trigger is
 * rejected. On a shared endpoint, or if `headers`, `query` or only a `filter` fails, or if the trigger is disabled, the
 * body is skipped. With `onMismatch: "hold"`, it is held in all cases without a match.
 */
export function decideDelivery(p: {
  manifest: Pick<Manifest, "version" | "workflows" | "agents">;
  triggers: readonly TriggerSource[];
  /** Of exactly these triggers; `null` evaluates all of them. */
  index: TriggerIndex | null;
  /** Whether the endpoint has more than one trigger, evaluated here or not. */
  isShared: boolean;
  /**
   * What a request gets that starts no run. Default: a body that matches no `request` is rejected, unless the endpoint
   * is shared.
   */
  onMismatch?: OnMismatch | null;
  body: Json;
  /** As recorded. */
  headers: RecordedHeaders;
  deliveryId: string;
  now: number;
  startedBy: StartedBy;
  keyId: string | null;
  /** Disabled triggers start nothing. */
  disabled: DisabledTriggers;
}): Decision {
  const { manifest, now, startedBy, deliveryId, keyId } = p;
  const { matches, list } = matchTriggers(p);
  const runs = matches.flatMap(({ trigger: { slug, attachmentId, target, key }, payload }) =>
    target === null
      ? []
      : planRun({
          manifest,
          trigger: { slug, attachmentId, target },
          payload,
          now,
          startedBy,
          deliveryId,
          replayOf: null,
          keyId,
          key: keyOfRun(key, { payload, headers: p.headers }),
        }),
  );
  const runIds = new Map(runs.map(({ attachmentId, id }) => [attachmentId, id]));
  const listWith = (attachmentIds?: ReadonlySet<string>): VerdictList => {
    const { verdicts, unlistedVerdicts } = redactVerdicts(list(attachmentIds));
    return {
      verdicts: verdicts.map((one) => ({ ...one, runId: runIds.get(one.attachmentId) ?? null })),
      unlistedVerdicts,
    };
  };
  const { verdicts, unlistedVerdicts } = listWith();
  const listed = { verdicts, unlistedVerdicts, listWith, events: eventsOf(matches) };
  if (runs.length > 0) return { ...listed, outcome: "accepted", responseStatus: 202, runs };
  if (matches.length > 0) return { ...listed, outcome: "skipped", responseStatus: 200, runs: [] };
  if (p.onMismatch === "hold") return { ...listed, outcome: "held", responseStatus: 202, runs: [] };
  const mismatch = (p.onMismatch ?? (p.isShared ? "skip" : "reject")) === "reject" ? nearestMismatch(listed) : null;
  if (!mismatch) return { ...listed, outcome: "skipped", responseStatus: 200, runs: [] };
  return { ...listed, outcome: "rejected", responseStatus: 422, runs: [], rejection: requestMismatch(mismatch) };
}

/** The triggers of one slug have the same source. */
function eventsOf(matches: readonly Match[]): Decision["events"] {
  const payloads = new Map<string, Json>();
  for (const { trigger, payload } of matches) if (!payloads.has(trigger.slug)) payloads.set(trigger.slug, payload);
  return [...payloads].map(([source, payload]) => ({ source, payload }));
}

/** The same verdicts, with the ids of these runs only. */
export function withRuns(
  { verdicts, unlistedVerdicts }: VerdictList,
  runs: readonly { attachmentId: string; runId: string }[],
): VerdictList {
  const runIds = new Map(runs.map(({ attachmentId, runId }) => [attachmentId, runId]));
  return {
    verdicts: verdicts.map((verdict) => ({ ...verdict, runId: runIds.get(verdict.attachmentId) ?? null })),
    unlistedVerdicts,
  };
}

/** The verdict with the fewest reasons if the body matches the `request` of no trigger; otherwise `null`. */
function nearestMismatch(list: VerdictList): Verdict | null {
  const { verdicts, unlistedVerdicts } = list;
  const isMismatch = [...verdicts, ...unlistedVerdicts].every(({ outcome }) => outcome === "request_mismatch");
  return isMismatch ? nearestMiss(list) : null;
}

/** The error for a body that does not match `request`, for its sender or for the caller of the API. */
export function requestMismatch({ trigger, reasons }: Verdict): AppError {
  return new AppError("request_mismatch", `The body does not match the request schema of trigger ${trigger}.`, {
    errors: toProblemErrors(reasons),
  });
}

/** Creates a run of a trigger for the store: queued, with the payload that its transform will get. */
export function planRun(p: {
  manifest: Pick<Manifest, "version" | "workflows" | "agents">;
  trigger: { slug: string; attachmentId: string; target: Target };
  payload: Json | null;
  now: number;
  startedBy: StartedBy;
  deliveryId: string | null;
  replayOf: string | null;
  keyId: string | null;
  key: string | null;
}): NewRun {
  const { slug, attachmentId, target } = p.trigger;
  const built = findBuilt<ManifestWorkflow>(p.manifest, target);
  return {
    id: newId("run", p.now),
    trigger: slug,
    attachmentId,
    target,
    deliveryId: p.deliveryId,
    startedBy: p.startedBy,
    replayOf: p.replayOf,
    version: p.manifest.version,
    maxAttempts: built?.retries.attempts ?? 1,
    ...runLimitsOf(built ?? {}),
    createdAt: p.now,
    payload: p.payload,
    input: null,
    keyId: p.keyId,
    key: p.key,
  };
}

/** An endpoint with more triggers than that lists only the verdicts of matches and of the nearest misses. */
const maxListed = 50;

const none: ReadonlySet<string> = new Set();

interface Match {
  trigger: TriggerSource;
  /** The output of `request`. */
  payload: Json;
}

interface Matching {
  /** In the order of the triggers, without disabled ones. */
  matches: readonly Match[];
  /**
   * The verdicts in the order of the triggers. Evaluated lazily. On an endpoint with more than `maxListed` triggers,
   * those that are not listed are counted. The attachments in `always` are listed in any case.
   */
  list(always?: ReadonlySet<string>): VerdictList;
}

/**
 * Finds the triggers that match a body. Zod evaluates those that the index selects. The others certainly do not match:
 * if there are few, they are evaluated only for their verdicts, otherwise not at all. Without an index (`null`) all
 * triggers are evaluated.
 */
export function matchTriggers({
  triggers,
  index,
  body,
  headers: recorded = null,
  disabled = noneDisabled,
}: {
  triggers: readonly TriggerSource[];
  index: TriggerIndex | null;
  body: Json;
  /** As recorded, with the query; `null`: the headers and the query are not evaluated. */
  headers?: RecordedHeaders | null;
  disabled?: DisabledTriggers;
}): Matching {
  const fields = recorded && requestFields(recorded);
  const parse = memoizeParse((schema) => parseBody(schema, body));
  const parseFields = fieldsParser(recorded, parseBody, fields);
  const evaluate = (trigger: TriggerSource, ...parseWith: [ParseBody, ParseFields | null]): Evaluation =>
    disabled.has(trigger.slug)
      ? { verdict: disabledVerdict(trigger, disabled), payload: null }
      : evaluateTrigger(trigger, ...parseWith);
  /** The verdicts of the triggers that may match, by their index. */
  const candidates = new Map<number, Verdict>();
  const matches: Match[] = [];
  for (const at of index ? index.candidates(body, fields) : triggers.keys()) {
    const trigger = triggers[at];
    if (!trigger) continue;
    const { verdict, payload } = evaluate(trigger, parse, parseFields);
    candidates.set(at, verdict);
    if (verdict.outcome === "matched") matches.push({ trigger, payload });
  }
  const explain = memoizeParse((schema) => explainShortly(schema, body, parse));
  const explainFieldsShortly = fieldsParser(recorded, (schema, values) =>
    explainShortly(schema, values, (part) => parseBody(part, values)),
  );
  const verdictAt = (trigger: TriggerSource, at: number): Verdict =>
    candidates.get(at) ?? evaluate(trigger, explain, explainFieldsShortly).verdict;
  return {
    matches,
    list(always = none) {
      if (triggers.length <= maxListed) return { verdicts: triggers.map(verdictAt), unlistedVerdicts: [] };
      const evaluated = new Map(candidates);
      if (always.size > 0)
        for (const [at, trigger] of triggers.entries())
          if (always.has(trigger.attachmentId)) evaluated.set(at, verdictAt(trigger, at));
      return listNearest({ evaluated, always, maxMisses: maxListed, triggers, index, body, fields, disabled });
    },
  };
}

/** Zod needs longer to describe a mismatch than to detect it. If only fixed values can be wrong, the message is known. */
function explainShortly(schema: AnySchema, body: Json, parse: (schema: AnySchema) => ParseOutcome): ParseOutcome {
  const split = splitSchema(schema);
  const reasons = split ? explainFields(split.fields, body) : [];
  if (split && reasons.length > 0 && restMatches(split, body, (rest) => parse(rest).success))
    return { success: false, reasons };
  return parse(schema);
}

interface Evaluation {
  /** Its `runId` is null: nothing was started. */
  verdict: Verdict;
  /** What `request` parsed from the body; `null` unless the trigger matched. */
  payload: Json | null;
}

/** The outcome of parsing a body, or headers, with a schema. */
export type ParseOutcome = { success: true; payload: Json } | { success: false; reasons: Reason[] };
type ParseBody = (schema: AnySchema) => ParseOutcome;
type ParseFields = (part: FieldPart, schema: FieldsSchema) => ParseOutcome;

/**
 * The verdict of each trigger on a body, in the order given. Zod decides: a trigger matches if the headers parse with
 * its `headers`, the query with its `query`, and the body with its `request` and its `filter`, if it has them. Of a
 * typed source, another kind of event is a mismatch of the filter, although its `request` is not evaluated. `headers:
 * null` does not evaluate the headers and the query.
 */
export function evaluateTriggers(
  triggers: readonly TriggerSource[],
  body: Json,
  headers: RecordedHeaders | null = null,
): Evaluation[] {
  const parseFields = fieldsParser(headers, parseBody);
  return triggers.map((trigger) => evaluateTrigger(trigger, (schema) => parseBody(schema, body), parseFields));
}

/**
 * Returns a function that parses a part of the request, once for each schema; `null`: they are not evaluated. `known`:
 * the fields, if schemas that require only fixed values may be compared with them, without Zod.
 */
function fieldsParser(
  recorded: RecordedHeaders | null,
  parse: (schema: AnySchema, values: Json) => ParseOutcome,
  known: RequestFields | null = null,
): ParseFields | null {
  if (!recorded) return null;
  const outcomes: Partial<Record<FieldPart, Map<AnySchema, ParseOutcome>>> = {};
  return (part, { schema, lists }) => {
    if (known && lists.length === 0 && hasFixedValues(schema, known[part])) return matchedFields;
    const ofPart = (outcomes[part] ??= new Map());
    const outcome = ofPart.get(schema) ?? parse(schema, fieldsFor(part, recorded, lists));
    ofPart.set(schema, outcome);
    return outcome;
  };
}

/** Nothing reads the output of `headers` and `query`. */
const matchedFields: ParseOutcome = { success: true, payload: null };

/** Whether the schema requires fixed values and nothing else, and the fields have them. */
function hasFixedValues(schema: AnySchema, fields: RequestFields[FieldPart]): boolean {
  const split = splitSchema(schema);
  return split?.rest === null && split.fields.every(({ path, values }) => values.has(fieldAt(fields, path)));
}

/** `request` was not evaluated. */
function toOtherEvent(reason: Reason): Reason {
  return { ...reason, code: otherEventCode };
}

function evaluateTrigger(trigger: TriggerSource, parse: ParseBody, parseFields: ParseFields | null): Evaluation {
  for (const part of fieldParts) {
    const schema = trigger[part];
    const fields = schema && parseFields ? parseFields(part, schema) : null;
    if (fields && !fields.success)
      return { verdict: verdictOf(trigger, mismatchOf[part], fields.reasons), payload: null };
  }
  const event = trigger.event ? parse(trigger.event) : null;
  if (event && !event.success)
    return { verdict: verdictOf(trigger, "filter_mismatch", event.reasons.map(toOtherEvent)), payload: null };
  const request = parse(trigger.request);
  if (!request.success) return { verdict: verdictOf(trigger, "request_mismatch", request.reasons), payload: null };
  const filter = trigger.filter ? parse(trigger.filter) : null;
  if (filter && !filter.success)
    return { verdict: verdictOf(trigger, "filter_mismatch", filter.reasons), payload: null };
  return { verdict: verdictOf(trigger, "matched", []), payload: request.payload };
}

/** The verdict of a disabled trigger on every body. */
export function disabledVerdict(
  trigger: Pick<TriggerSource, "slug" | "attachmentId" | "target">,
  disabled: DisabledTriggers,
): Verdict {
  const { at = "", reason = null } = disabled.get(trigger.slug) ?? {};
  const message = `Disabled since ${at}${reason === null ? "" : `: ${reason}`}`;
  return verdictOf(trigger, "disabled", [{ pointer: "", code: "disabled", message, expected: null, actual: null }]);
}

/** A schema that throws is an error of its author. It must not affect the other triggers. */
export function parseBody(schema: AnySchema, body: Json): ParseOutcome {
  try {
    const parsed = parseBounded(schema, body);
    if (parsed.success) return { success: true, payload: toJson(parsed.data) };
    return { success: false, reasons: explainIssues(parsed.error.issues, body, schema) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = shortText(`The schema threw an error: ${why}`, 300);
    return { success: false, reasons: [{ pointer: "", code: "schema_error", message, expected: null, actual: null }] };
  }
}

/** Triggers that share a schema share its outcome. */
function memoizeParse(parse: ParseBody): ParseBody {
  let outcomes: Map<AnySchema, ParseOutcome> | null = null;
  return (schema) => {
    const known = outcomes?.get(schema);
    if (known) return known;
    const outcome = parse(schema);
    outcomes ??= new Map();
    outcomes.set(schema, outcome);
    return outcome;
  };
}

function verdictOf(
  { slug, attachmentId, target }: Pick<TriggerSource, "slug" | "attachmentId" | "target">,
  outcome: VerdictOutcome,
  reasons: Reason[],
): Verdict {
  return { trigger: slug, attachmentId, target, outcome, runId: null, reasons };
}
