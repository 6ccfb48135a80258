import { targetName } from "../../contract/project/target.ts";
import type { Json } from "../../contract/json.ts";
import { fieldParts } from "../../contract/request-parts.ts";
import type { Run, RunError } from "../../contract/run.ts";
import type { EventResult } from "../runs/event-waits.ts";
import type { Faker } from "./fake-value.ts";
import { maskFields } from "./mask-delivery.ts";
import { maskJson, type MaskedValue } from "./mask-json.ts";
import { createScrub, type Scrub } from "./scrub.ts";
import type { SensitiveRules } from "./sensitive-rules.ts";

/** The values that a run began with. */
export type RunOrigin = Pick<Run, "trigger" | "target" | "payload" | "input"> & {
  /** The recorded headers of its delivery; `null`: not known, or no header and no parameter is sensitive. */
  headers: Readonly<Record<string, string>> | null;
  events: readonly OriginEvent[];
  /** Default: it is not known. */
  output?: Json | null;
};

/** An event that a run has received. */
export type OriginEvent = Pick<EventResult, "source" | "payload">;

/** Whether values of the run can be sensitive. */
export function concernsRun(
  rules: SensitiveRules,
  { trigger, target }: Pick<Run, "trigger" | "target">,
  events: readonly OriginEvent[],
): boolean {
  const isOfEvent = events.some(({ source }) => rules.triggers.has(source));
  return isOfEvent || (trigger !== null && rules.triggers.has(trigger)) || rules.targets.has(targetName(target));
}

/** The values of a child run that its parent has. */
export const originOfChild = ({ target, input, output }: Pick<Run, "target" | "input" | "output">): RunOrigin => ({
  trigger: null,
  target,
  payload: null,
  input,
  output,
  headers: null,
  events: [],
});

/** Whether the headers or the query of its delivery can be sensitive. */
export function needsFields(rules: SensitiveRules, { trigger }: Pick<Run, "trigger">): boolean {
  const sent = trigger === null ? null : rules.triggers.get(trigger);
  return fieldParts.some((part) => sent?.[part]);
}

/** Masks what a run began with, and everything else that contains its sensitive values. */
export interface RunMask {
  payload(): Json | null;
  input(): Json | null;
  output(value: Json | null): Json | null;
  /** The payload of an event of this source. */
  event(event: OriginEvent): Json;
  scrub: Scrub;
  /** The recorded values in place of their fakes. */
  restore(value: Json): Json;
}

/**
 * `origins`: the run first; then runs whose values it has as well: the failed run of `onFailure`, and the runs of its
 * family. `shown`: in place of every value elsewhere. Default: its fake.
 */
export function createRunMask(
  rules: SensitiveRules,
  origins: readonly [RunOrigin, ...RunOrigin[]],
  faker: Faker,
  { shown: always }: { shown?: string } = {},
): RunMask {
  const replaced: MaskedValue[] = [];
  const p = { faker, replaced };
  const maskEvent = ({ source, payload }: OriginEvent) =>
    maskJson(payload, rules.triggers.get(source)?.body ?? null, p);
  const masked = origins.map(({ trigger, target, payload, input, headers, events, output = null }) => {
    for (const event of events) maskEvent(event);
    maskJson(output, rules.targets.get(targetName(target))?.output ?? null, p);
    const sent = trigger === null ? null : (rules.triggers.get(trigger) ?? null);
    if (sent && headers) maskFields(headers, sent, p);
    return {
      payload: maskJson(payload, sent?.body ?? null, p),
      input: maskJson(input, rules.targets.get(targetName(target))?.input ?? null, p),
    };
  });
  const [run] = origins;
  const [own] = masked;
  // A key that a schema names elsewhere is the name of a field: without it, the input would be unreadable.
  const secret = replaced.filter(({ original, isKey }) => !isKey || !rules.fieldNames.has(String(original)));
  const scrub = createScrub(
    always === undefined ? secret : secret.map(({ original }) => ({ original, shown: always })),
  );
  return {
    payload: () => (own ? scrub.json(own.payload) : null),
    input: () => (own ? scrub.json(own.input) : null),
    event: (event) => scrub.json(maskEvent(event)),
    output: (value) => scrub.json(maskJson(value, rules.targets.get(targetName(run.target))?.output ?? null, p)),
    scrub,
    restore: (value) =>
      createScrub(replaced.map(({ original, shown }) => ({ original: shown, shown: original }))).json(value),
  };
}

/** An error, which code may have written with a sensitive value. */
export function scrubError<Failure extends Omit<RunError, "stack"> & { stack?: string | null }>(
  error: Failure,
  { text }: Pick<Scrub, "text">,
): Failure {
  return {
    ...error,
    name: text(error.name),
    message: text(error.message),
    ...(typeof error.stack === "string" && { stack: text(error.stack) }),
  };
}
