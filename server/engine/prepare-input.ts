import { isDeepStrictEqual } from "node:util";
import type { Json } from "../contract/json.ts";
import type { AnySchema, LoadedWorkflow, ProjectCode } from "../ports/project.ts";
import type { ClaimedRun } from "../ports/store.ts";
import { renderPrompt } from "./agent/render-prompt.ts";
import { toJson } from "./json-value.ts";
import { parseValue } from "./parse-value.ts";
import { FinalFailure } from "./run-errors.ts";

export interface PreparedInput {
  /** What the target's code gets. */
  input: unknown;
  /** What to record as the run's input; `undefined` where it is recorded already. */
  record: Json | undefined;
  /**
   * No transform made it, and it is a part of what the delivery brought, as that is on disk: another attempt would make
   * the same of it. Otherwise it has to be recorded before the target's code begins.
   */
  isPartOfPayload: boolean;
}

/**
 * The input of a run: its payload through the trigger's transform, then through the target's input schema; or the input
 * that it was started with, or that an earlier attempt recorded. Throws FinalFailure: another attempt would see the
 * same.
 */
export async function prepareInput(
  run: ClaimedRun,
  workflow: LoadedWorkflow,
  code: ProjectCode,
): Promise<PreparedInput> {
  const given = run.input ?? (await transformPayload(run, code));
  const input = parseValue({
    schema: workflow.input,
    value: given,
    name: "InvalidInput",
    what: `The input does not match the input schema of ${run.target.kind} ${workflow.slug}`,
  });
  const record = recordableInput(workflow.input, given, input);
  return {
    input,
    record: isDeepStrictEqual(record, run.input) ? undefined : record,
    isPartOfPayload: given === run.payload && isPartOf(record, given),
  };
}

/** Nothing in it is anything else than what stands at the same place of the whole. */
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

async function transformPayload(run: ClaimedRun, code: ProjectCode): Promise<Json> {
  if (run.attachmentId === null) return run.payload;
  const trigger = await code.trigger(run.attachmentId);
  if (!trigger) {
    throw new FinalFailure(
      "UnknownTrigger",
      `Trigger ${run.attachmentId} is not in this build (${code.manifest.version}). Deploy a project that has it, then replay the run.`,
    );
  }
  const { transform, prompt } = trigger;
  const name = run.trigger ?? run.attachmentId;
  const value = transform
    ? await orFail("TransformFailed", `The transform of trigger ${name}`, async () =>
        toJson(await transform(structuredClone(run.payload)), `The result of the transform of trigger ${name}`),
      )
    : run.payload;
  if (prompt === undefined || prompt === null) return value;
  return toJson(
    await orFail("PromptFailed", `The prompt of trigger ${name}`, () => renderPrompt(prompt, structuredClone(value))),
    "The prompt",
  );
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
 * What was parsed, so that defaults show and stay the same in later attempts; but as it was given where parsing the
 * parsed value again would not give the same, because every attempt parses what is recorded.
 */
function recordableInput(schema: AnySchema, given: Json, input: unknown): Json {
  const json = toJson(input, "The input");
  const again = schema.safeParse(json);
  return again.success && isDeepStrictEqual(toJson(again.data, "The input"), json) ? json : given;
}
