import type { Json } from "../contract/json.ts";
import type { Verdicts } from "../domain/verdict-list.ts";
import type { AnySchema, TriggerIndex, TriggerSource } from "../ports/project.ts";
import { askSchema, type Evaluation, evaluateTrigger, type ParseOutcome, rememberAnswers } from "./evaluate-trigger.ts";
import { explainFields, restHolds, splitSchema } from "./fixed-fields.ts";
import { memoryOf } from "./verdict-memory.ts";

interface Match {
  trigger: TriggerSource;
  /** What `request` made of the body. */
  payload: Json;
}

export interface Matching {
  /** In the order of the triggers. */
  matches: readonly Match[];
  /** The verdicts of all triggers, in order, exactly as evaluateTriggers returns them. Evaluated lazily. */
  verdicts(): Verdicts;
}

/**
 * Finds the triggers that match a body. Zod decides on those that the index names; the others certainly do not match,
 * and are asked only for their verdicts, unless bodies of this kind have come before. Without an index (`null`) all are
 * asked.
 */
export function matchTriggers({
  triggers,
  index,
  body,
}: {
  triggers: readonly TriggerSource[];
  index: TriggerIndex | null;
  body: Json;
}): Matching {
  const ask = rememberAnswers((schema) => askSchema(schema, body));
  const asked = new Map<number, { trigger: TriggerSource; evaluation: Evaluation }>();
  for (const at of index ? index.candidates(body) : triggers.keys()) {
    const trigger = triggers[at];
    if (trigger) asked.set(at, { trigger, evaluation: evaluateTrigger(trigger, ask) });
  }
  const explainSchema = rememberAnswers((schema) => explainShortly(schema, body, ask));
  const verdictOf = (trigger: TriggerSource, at: number) =>
    (asked.get(at)?.evaluation ?? evaluateTrigger(trigger, explainSchema)).verdict;
  return {
    matches: [...asked.values()].flatMap(({ trigger, evaluation: { verdict, payload } }) =>
      verdict.outcome === "matched" ? [{ trigger, payload }] : [],
    ),
    verdicts: () =>
      index ? memoryOf(index, triggers).verdictsOf({ body, ask, asked, verdictOf }) : triggers.map(verdictOf),
  };
}

/** Zod needs longer to describe a mismatch than to detect it. If only fixed values can be wrong, the message is known. */
function explainShortly(schema: AnySchema, body: Json, ask: (schema: AnySchema) => ParseOutcome): ParseOutcome {
  const split = splitSchema(schema);
  const reasons = split ? explainFields(split.fields, body) : [];
  if (split && reasons.length > 0 && restHolds(split, body, (rest) => ask(rest).success))
    return { success: false, reasons };
  return ask(schema);
}
