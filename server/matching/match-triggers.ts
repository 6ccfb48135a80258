import type { Json } from "../contract/json.ts";
import type { Reason } from "../contract/verdict.ts";
import type { Verdicts } from "../domain/verdict-list.ts";
import type { AnySchema, TriggerIndex, TriggerSource } from "../ports/project.ts";
import { askSchema, type Evaluation, evaluateTrigger, type Opinion } from "./evaluate-trigger.ts";
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
  /** What every trigger says, in their order, to the letter as evaluateTriggers says it. Worked out when it is asked for. */
  verdicts(): Verdicts;
}

/**
 * Finds the triggers that match a body. Zod decides on those that the index names; the others certainly do not match, and are asked
 * only for their verdicts, unless bodies of this kind have come before. Without an index (`null`) all are asked.
 */
export function matchTriggers({ triggers, index, body }: { triggers: readonly TriggerSource[]; index: TriggerIndex | null; body: Json }): Matching {
  const ask = rememberAnswers((schema) => askSchema(schema, body));
  const asked = new Map<number, { trigger: TriggerSource; evaluation: Evaluation }>();
  for (const at of index ? index.candidates(body) : triggers.keys()) {
    const trigger = triggers[at];
    if (trigger) asked.set(at, { trigger, evaluation: evaluateTrigger(trigger, ask) });
  }
  const explain = () => {
    const openReasons = new Set<readonly Reason[]>();
    const explainSchema = rememberAnswers((schema) => explainShortly(schema, { body, ask, openReasons }));
    const verdicts = triggers.map((trigger, at) => (asked.get(at)?.evaluation ?? evaluateTrigger(trigger, explainSchema)).verdict);
    return { verdicts, openReasons };
  };
  return {
    matches: [...asked.values()].flatMap(({ trigger, evaluation: { verdict, payload } }) => (verdict.outcome === "matched" ? [{ trigger, payload }] : [])),
    verdicts() {
      if (!index) return explain().verdicts;
      const own = new Map([...asked].map(([at, { evaluation }]) => [at, evaluation.verdict]));
      return memoryOf(index, triggers).verdictsOf({ body, ask, asked: own, explain });
    },
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
function explainShortly(schema: AnySchema, p: { body: Json; ask: (schema: AnySchema) => Opinion; openReasons: Set<readonly Reason[]> }): Opinion {
  const split = splitSchema(schema);
  const reasons = split ? explainFields(split.fields, p.body) : [];
  if (!split || reasons.length === 0 || !restHolds(split, p.body, (rest) => p.ask(rest).success)) return p.ask(schema);
  p.openReasons.add(reasons);
  return { success: false, reasons };
}
