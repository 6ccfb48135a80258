import { isDeepStrictEqual } from "node:util";
import type { TransformContext } from "../../sdk/trigger/headers.ts";
import type { Json } from "../contract/json.ts";
import type { FieldPart } from "../contract/request-parts.ts";
import { type FieldValues, safeHeaders } from "../domain/deliveries/header-values.ts";
import { readQuery } from "../domain/deliveries/query-values.ts";
import { fieldsFor } from "../domain/deliveries/request-fields.ts";
import { formatBytes } from "../shared/format.ts";
import { findLargestPart, findUnstorable } from "../domain/json/find-unstorable.ts";
import { isTooDeep, maxDepth } from "../domain/requests/request-body.ts";
import { explainIssues, toProblemErrors } from "../matching/explain/explain.ts";
import type { AnySchema, LoadedTrigger, LoadedWorkflow, ProjectCode } from "../ports/project.ts";
import type { AssignedRun } from "../ports/run-channel.ts";
import { renderPrompt } from "./agent/prompt.ts";
import { FinalFailure } from "./run-errors.ts";

/** The limit of each result: of a step, a transform, a prompt or a run. */
const maxResultBytes = 16_000_000;

/**
 * Returns a value as it is after a JSON round trip; `undefined` becomes `null`. Throws a FinalFailure that names `what`
 * and the path of the value that has no JSON form (a bigint, a cycle). Of more than 16 MB, it is that of the largest
 * part. `from`: the stored value of which it was made; it may be larger than that by 16 MB.
 */
export function toJson(value: unknown, what: string, from: Json = null): Json {
  const text = stringify(value, what);
  if (text === undefined) return null;
  // A character has at most three bytes.
  if (text.length * 3 > maxResultBytes) requireSize(text, what, from);
  if (isTooDeep(text)) throw tooDeep(what);
  return copyJson(text);
}

function requireSize(text: string, what: string, from: Json): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxResultBytes) return;
  const maxBytes = maxResultBytes + (from === null ? 0 : Buffer.byteLength(JSON.stringify(from)));
  if (bytes > maxBytes) throw tooLarge(findLargestPart(copyJson(text)), what, maxBytes);
}

function stringify(value: unknown, what: string): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    if (isTooLong(cause)) throw tooLarge(null, what, maxResultBytes);
    const found = findUnstorable(value);
    if (!found && cause instanceof RangeError) throw tooDeep(what);
    const why = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    const reason = found
      ? `${found.pointer || "it"} ${found.why}. ${found.fix}`
      : `${why}. Return plain objects, arrays, strings, numbers, booleans and null.`;
    throw new FinalFailure("NotJson", `${what} cannot be stored as JSON: ${reason}`, {
      cause,
      ...(found ? { errors: [{ pointer: found.pointer, code: "not_json", message: found.why }] } : {}),
    });
  }
}

/** A string has at most 512 Mi characters. */
const isTooLong = (cause: unknown): boolean => cause instanceof RangeError && cause.message === "Invalid string length";

/** `largest`: its largest part; `null` if it is too large to be measured. */
function tooLarge(largest: { pointer: string; bytes: number } | null, what: string, maxBytes: number): FinalFailure {
  const { pointer, size } = largest
    ? { pointer: largest.pointer, size: formatBytes(largest.bytes) }
    : { pointer: "", size: "more than 512 MB" };
  const where = pointer === "" ? "" : `. Its largest part is ${pointer}`;
  return new FinalFailure(
    "ResultTooLarge",
    `${what} exceeds ${formatBytes(maxBytes)}${where} (${size}). Store it elsewhere, for example in a bucket, and return a reference.`,
    { errors: [{ pointer, code: "too_large", message: `has ${size}` }] },
  );
}

/** As bodies: deeper values would overflow the stack of the code that reads them. */
function tooDeep(what: string): FinalFailure {
  return new FinalFailure(
    "NotJson",
    `${what} cannot be stored as JSON: it is nested deeper than ${maxDepth} levels. Return a flat structure, such as a list whose items have the ids of others.`,
  );
}

function copyJson(text: string): Json {
  const json: Json = JSON.parse(text);
  return json;
}

/** A deep copy of the stored value, so that code can change its result without side effects. */
export function cloneJson(value: Json): Json {
  return structuredClone(value);
}

/** Parses with a schema of the project. Throws a FinalFailure called `name` that lists the issues by JSON Pointer. */
export function parseValue(p: {
  schema: AnySchema;
  value: unknown;
  name: string;
  what: string;
  /** The last line of the message. */
  hint?: string | null;
}): unknown {
  const parsed = p.schema.safeParse(p.value);
  if (parsed.success) return parsed.data;
  const errors = toProblemErrors(explainIssues(parsed.error.issues, p.value as Json, p.schema));
  const lines = errors.map(({ pointer, message }) => `  ${pointer === "" ? "(the whole value)" : pointer}: ${message}`);
  const hint = p.hint ? [p.hint] : [];
  throw new FinalFailure(p.name, [`${p.what}:`, ...lines, ...hint].join("\n"), { errors });
}

/** Why a run may not fit the build that executes it, and how to continue it; for the end of a message. */
export function describeReplacement({ replaces, manifest }: ProjectCode): string {
  if (replaces === undefined) return "Deploy a build that has it, then continue the run with `signalbox runs resume`.";
  return `Build ${replaces} accepted the run, and ${manifest.version} executes it instead. Deploy a build that fits the run, then continue it with \`signalbox runs resume\`.`;
}

// ---- the input of a run ----

/** What the input of a run depends on. */
export type RunToPrepare = Pick<
  AssignedRun,
  "input" | "payload" | "trigger" | "attachmentId" | "target" | "request" | "createdAt"
> &
  Partial<Pick<AssignedRun, "attemptsBefore">>;

interface PreparedInput {
  /** The input that the target's code receives. */
  input: unknown;
  /** The value to record as the run's input; `undefined` if it is already recorded. */
  record: Json | undefined;
  /**
   * The input is a part of what is stored already, without a transform: another attempt would produce the same input.
   * Any other input must be recorded before the target's code starts.
   */
  isPartOfStored: boolean;
}

/**
 * Returns the input of a run: its payload, passed through the trigger's transform and the target's input schema, or the
 * input recorded at its start or by an earlier attempt. Throws a FinalFailure, because another attempt would fail in
 * the same way.
 */
export async function prepareInput(
  run: RunToPrepare,
  workflow: Pick<LoadedWorkflow, "slug" | "input">,
  code: ProjectCode,
): Promise<PreparedInput> {
  const { given, input } = await parseInput(run, workflow, code);
  const what = `The input of ${run.target.kind} ${workflow.slug}, as its schema returns it,`;
  const record = recordableInput(workflow.input, { given, input, what });
  return {
    input,
    record: isDeepStrictEqual(record, run.input) ? undefined : record,
    isPartOfStored: (given === run.payload || given === run.input) && isPartOf(record, given),
  };
}

/** The input as the target's schema parses it, and as it was given. Throws as `prepareInput` does. */
export async function parseInput(
  run: RunToPrepare,
  workflow: Pick<LoadedWorkflow, "slug" | "input">,
  code: ProjectCode,
): Promise<{ given: Json; input: unknown }> {
  const given = keptInput(run, workflow) ?? (await transformPayload(run, code));
  const input = parseValue({
    schema: workflow.input,
    value: given,
    name: "InvalidInput",
    what: `The input does not match the input schema of ${run.target.kind} ${workflow.slug}`,
    hint: code.replaces === undefined ? null : describeReplacement(code),
  });
  return { given, input };
}

/**
 * The recorded input. If the current build does not accept it and a person has resumed the run, the payload is
 * transformed again: the fix may be in the transform.
 */
function keptInput(
  { input, payload, attachmentId, attemptsBefore = 0 }: RunToPrepare,
  workflow: Pick<LoadedWorkflow, "input">,
): Json {
  const isFixable = attemptsBefore > 0 && attachmentId !== null && payload !== null;
  return isFixable && !workflow.input.safeParse(input).success ? null : input;
}

/** Whether every value of the part equals the value at the same path of the whole. */
function isPartOf(part: Json, whole: Json): boolean {
  if (typeof part !== "object" || part === null) return Object.is(part, whole);
  if (Array.isArray(part))
    return (
      Array.isArray(whole) &&
      part.length === whole.length &&
      part.every((item, at) => isPartOf(item, whole[at] ?? null))
    );
  if (typeof whole !== "object" || whole === null || Array.isArray(whole)) return false;
  return Object.entries(part).every(([key, value]) => {
    const there = Object.hasOwn(whole, key) ? whole[key] : undefined;
    return there !== undefined && isPartOf(value, there);
  });
}

/** The payload after the trigger's transform, and its prompt. Throws a FinalFailure. */
export async function transformPayload(run: RunToPrepare, code: ProjectCode): Promise<Json> {
  if (run.attachmentId === null) return run.payload;
  const trigger = await code.trigger(run.attachmentId);
  if (!trigger) {
    throw new FinalFailure(
      "UnknownTrigger",
      `Trigger ${run.attachmentId} is not in this build (${code.manifest.version}). ${describeReplacement(code)}`,
    );
  }
  const { transform, prompt } = trigger;
  const name = run.trigger ?? run.attachmentId;
  const value = transform
    ? await orFail("TransformFailed", `The transform of trigger ${name}`, async () =>
        toJson(
          await transform(structuredClone(run.payload), contextOf(run, trigger, code)),
          `The result of the transform of trigger ${name}`,
        ),
      )
    : run.payload;
  if (prompt === undefined || prompt === null) return value;
  return toJson(
    await orFail("PromptFailed", `The prompt of trigger ${name}`, () => renderPrompt(prompt, structuredClone(value))),
    "The prompt",
  );
}

/** The second argument of a transform. */
function contextOf(run: RunToPrepare, trigger: LoadedTrigger, { manifest }: ProjectCode): TransformContext {
  const { request } = run;
  const read = (part: FieldPart, sent: FieldValues) => {
    const { schema, lists } = trigger[part] ?? {};
    const parsed = request && schema?.safeParse(fieldsFor(part, request.headers, lists ?? []));
    return parsed?.success ? Object.assign(sent, parsed.data) : sent;
  };
  return {
    headers: read("headers", request ? safeHeaders(request.headers, trigger.proofHeaders) : {}),
    query: read("query", request ? readQuery(request.headers) : {}),
    deliveryId: request?.deliveryId ?? null,
    receivedAt: new Date(request?.receivedAt ?? run.createdAt).toISOString(),
    endpoint: manifest.triggers.find(({ attachmentId }) => attachmentId === run.attachmentId)?.endpoint ?? "",
  };
}

async function orFail<T>(name: string, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof FinalFailure) throw cause;
    const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    throw new FinalFailure(name, `${what} threw ${why}`, { cause });
  }
}

/**
 * Records the parsed value, so that defaults are visible and stay the same in later attempts. Records the original
 * value if parsing the parsed value again would change it, because every attempt parses the recorded value.
 */
function recordableInput(schema: AnySchema, p: { given: Json; input: unknown; what: string }): Json {
  const { given, what } = p;
  const json = toJson(p.input, what, given);
  const again = schema.safeParse(json);
  return again.success && isDeepStrictEqual(toJson(again.data, what, json), json) ? json : given;
}
