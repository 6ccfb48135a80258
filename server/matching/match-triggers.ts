import { type DisabledTriggers, noneDisabled } from "../contract/disabled.ts";
import type { Json } from "../contract/json.ts";
import type { Verdict, VerdictList } from "../contract/delivery.ts";
import type { AnySchema, TriggerIndex, TriggerSource } from "../ports/project.ts";
import {
  parseBody,
  disabledVerdict,
  evaluateTrigger,
  type Evaluation,
  type ParseOutcome,
  memoizeParse,
} from "./evaluate-trigger.ts";
import { explainFields, restMatches, splitSchema } from "./schemas/fixed-fields.ts";
import { listNearest } from "./list-nearest.ts";

/** An endpoint with more triggers than that lists only the verdicts of matches and of the nearest misses. */
const maxListed = 50;

const none: ReadonlySet<string> = new Set();

interface Match {
  trigger: TriggerSource;
  /** The output of `request`. */
  payload: Json;
}

export interface Matching {
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
  disabled = noneDisabled,
}: {
  triggers: readonly TriggerSource[];
  index: TriggerIndex | null;
  body: Json;
  disabled?: DisabledTriggers;
}): Matching {
  const parse = memoizeParse((schema) => parseBody(schema, body));
  const evaluate = (trigger: TriggerSource, parseWith: (schema: AnySchema) => ParseOutcome): Evaluation =>
    disabled.has(trigger.slug)
      ? { verdict: disabledVerdict(trigger, disabled), payload: null }
      : evaluateTrigger(trigger, parseWith);
  /** The verdicts of the triggers that may match, by their index. */
  const candidates = new Map<number, Verdict>();
  const matches: Match[] = [];
  for (const at of index ? index.candidates(body) : triggers.keys()) {
    const trigger = triggers[at];
    if (!trigger) continue;
    const { verdict, payload } = evaluate(trigger, parse);
    candidates.set(at, verdict);
    if (verdict.outcome === "matched") matches.push({ trigger, payload });
  }
  const explain = memoizeParse((schema) => explainShortly(schema, body, parse));
  const verdictOf = (trigger: TriggerSource, at: number): Verdict =>
    candidates.get(at) ?? evaluate(trigger, explain).verdict;
  return {
    matches,
    list(always = none) {
      if (triggers.length <= maxListed) return { verdicts: triggers.map(verdictOf), unlistedVerdicts: [] };
      const evaluated = new Map(candidates);
      if (always.size > 0)
        for (const [at, trigger] of triggers.entries())
          if (always.has(trigger.attachmentId)) evaluated.set(at, verdictOf(trigger, at));
      return listNearest({ evaluated, always, maxMisses: maxListed, triggers, index, body, disabled });
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
