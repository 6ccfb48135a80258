import type { Json } from "../contract/json.ts";
import type { Verdict } from "../contract/verdict.ts";
import type { AnySchema, TriggerIndex, TriggerSource } from "../ports/project.ts";
import { askSchema, type Evaluation, evaluateTrigger, type Opinion } from "./evaluate-trigger.ts";
import { explainFields, restHolds, splitSchema } from "./fixed-fields.ts";

interface Match {
  trigger: TriggerSource;
  /** What `request` made of the body. */
  payload: Json;
}

export interface Matching {
  /** In the order of the triggers. */
  matches: readonly Match[];
  /** What every trigger says, in their order, to the letter as evaluateTriggers says it. Worked out when it is asked for. */
  verdicts(): Verdict[];
}

/**
 * Finds the triggers that match a body. Zod decides on those that the index names; the others certainly do not match, and are asked
 * only for their verdicts. Without an index (`null`) all are asked.
 */
export function matchTriggers({ triggers, index, body }: { triggers: readonly TriggerSource[]; index: TriggerIndex | null; body: Json }): Matching {
  const ask = rememberAnswers((schema) => askSchema(schema, body));
  const asked = new Map<TriggerSource, Evaluation>();
  const candidates = index ? index.candidates(body).flatMap((at) => triggers[at] ?? []) : triggers;
  for (const trigger of candidates) asked.set(trigger, evaluateTrigger(trigger, ask));
  const explain = rememberAnswers((schema) => explainShortly(schema, body, ask));
  return {
    matches: [...asked].flatMap(([trigger, { verdict, payload }]) => (verdict.outcome === "matched" ? [{ trigger, payload }] : [])),
    verdicts: () => triggers.map((trigger) => (asked.get(trigger) ?? evaluateTrigger(trigger, explain)).verdict),
  };
}

/** Triggers that share a schema share its answer. */
function rememberAnswers(answer: (schema: AnySchema) => Opinion): (schema: AnySchema) => Opinion {
  const answers = new Map<AnySchema, Opinion>();
  return (schema) => {
    const known = answers.get(schema);
    if (known) return known;
    const opinion = answer(schema);
    answers.set(schema, opinion);
    return opinion;
  };
}

/** Zod needs longer to word a refusal than to decide. Where nothing but fixed values can have failed, the words are known. */
function explainShortly(schema: AnySchema, body: Json, ask: (schema: AnySchema) => Opinion): Opinion {
  const split = splitSchema(schema);
  const reasons = split ? explainFields(split.fields, body) : [];
  if (split && reasons.length > 0 && restHolds(split, body, (rest) => ask(rest).success)) return { success: false, reasons };
  return ask(schema);
}
