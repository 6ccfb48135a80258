import { hash } from "node:crypto";
import type { Json } from "../contract/json.ts";
import type { Verdict } from "../contract/delivery.ts";
import { shortJson } from "../domain/json/short-json.ts";
import type { Verdicts } from "../domain/deliveries/verdict-list.ts";
import type { AnySchema, TriggerIndex, TriggerSource } from "../ports/project.ts";
import { askSchema, evaluateTrigger, type Evaluation, type ParseOutcome, rememberAnswers } from "./evaluate-trigger.ts";
import { fieldAt } from "./field-at.ts";
import { explainFields, restHolds, splitSchema } from "./fixed-fields.ts";
import { type FixedPlace, type KindOfBody, prepareKinds } from "./kinds-of-bodies.ts";
import { type KindVerdicts, verdictsOfKind } from "./verdicts-of-kind.ts";

/** Fewer verdicts in common than that are simply listed. */
const fewest = 8;
/** Of each endpoint: some twenty megabytes. */
const maxVerdicts = 100_000;
const maxNoted = 1_000;

/** The result for one body. */
interface Question {
  body: Json;
  ask: (schema: AnySchema) => ParseOutcome;
  /** Indexes of the triggers that the index found. */
  asked: ReadonlyMap<number, unknown>;
  verdictOf: (trigger: TriggerSource, at: number) => Verdict;
}

/**
 * Caches the verdicts of the triggers of one endpoint. Bodies of one kind, as defined in kinds-of-bodies.ts, share the
 * same list of common verdicts: it leaves out the values at the paths of fixed values, which may differ.
 */
interface VerdictMemory {
  /**
   * What `verdictOf` gives of all, to the letter. Folded from the second body of a kind on: many kinds never come
   * again.
   */
  verdictsOf(question: Question): Verdicts;
}

const memories = new WeakMap<TriggerIndex, VerdictMemory>();

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

/** One cache for each endpoint, whose triggers and index stay the same until the project is reloaded. */
function memoryOf(index: TriggerIndex, triggers: readonly TriggerSource[]): VerdictMemory {
  const memory = memories.get(index) ?? createVerdictMemory(triggers);
  memories.set(index, memory);
  return memory;
}

function createVerdictMemory(triggers: readonly TriggerSource[]): VerdictMemory {
  const kinds = prepareKinds(triggers);
  const withAttachments = prepareWithAttachments(triggers);
  const remembered = new Map<string, KindVerdicts>();
  const maxRemembered = Math.max(4, Math.floor(maxVerdicts / triggers.length));
  const noted = new Set<string>();

  function note(key: string): void {
    if (noted.size >= maxNoted) noted.clear();
    noted.add(key);
  }

  /** The most recently used entry is kept longest. */
  function keep(key: string, one: KindVerdicts): KindVerdicts {
    remembered.delete(key);
    remembered.set(key, one);
    const [oldest] = remembered.keys();
    if (remembered.size > maxRemembered && oldest !== undefined) {
      remembered.delete(oldest);
      note(oldest);
    }
    return one;
  }

  function recall(kind: KindOfBody, question: Question): KindVerdicts | null {
    const key = kind.key.length > 200 ? hash("sha256", kind.key) : kind.key;
    const known = remembered.get(key);
    if (known) return keep(key, known);
    if (noted.delete(key))
      return keep(key, verdictsOfKind(triggers, { ...question, kind, places: kinds.places ?? new Map() }));
    note(key);
    return null;
  }

  return {
    verdictsOf(question) {
      const { body, asked, verdictOf } = question;
      const listAll = () => triggers.map(verdictOf);
      const described = triggers.length - asked.size < fewest ? null : kinds.describe(body, question);
      if (described === null || triggers.length - asked.size - described.deviating.length < fewest) return listAll();
      const shared = recall(described.kind, question);
      if (!shared) return listAll();
      const places = withAttachments([...asked.keys(), ...described.deviating, ...shared.gaps]);
      return {
        common: shared.common,
        actuals: actualsOf(shared.open, body),
        own: places.flatMap((at) => {
          const trigger = triggers[at];
          return trigger ? [verdictOf(trigger, at)] : [];
        }),
        places,
      };
    },
  };
}

/** Adds the indexes of the other attachments of the same triggers. Ascending. */
function prepareWithAttachments(triggers: readonly TriggerSource[]): (places: readonly number[]) => number[] {
  const bySlug = Map.groupBy(triggers.keys(), (at) => triggers[at]?.slug);
  return (places) => [...new Set(places.flatMap((at) => bySlug.get(triggers[at]?.slug) ?? []))].sort((a, b) => a - b);
}

function actualsOf(open: readonly FixedPlace[], body: Json): Record<string, string | null> {
  const actuals = open.map(({ path, pointer }) => {
    const value = fieldAt(body, path);
    return [pointer, value === undefined ? null : shortJson(value)] as const;
  });
  return Object.fromEntries(actuals);
}
