import { hash } from "node:crypto";
import type { Json } from "../contract/json.ts";
import type { Reason, Verdict } from "../contract/verdict.ts";
import { shortJson } from "../domain/short-json.ts";
import type { CommonVerdict, CommonVerdicts, Verdicts } from "../domain/verdict-list.ts";
import type { AnySchema, TriggerIndex, TriggerSource } from "../ports/project.ts";
import type { Opinion } from "./evaluate-trigger.ts";
import { fieldAt } from "./field-at.ts";
import { type FixedPlace, prepareKinds } from "./kinds-of-bodies.ts";

/** Fewer verdicts in common than that are simply listed. */
const fewest = 8;
/** Of each endpoint: some ten megabytes. */
const mostVerdicts = 50_000;
const mostNoted = 1_000;

/** What is worked out of one body. */
interface Question {
  body: Json;
  ask: (schema: AnySchema) => Opinion;
  /** The verdicts of the triggers that the index named, by their places, rising. They are the delivery's own. */
  asked: ReadonlyMap<number, Verdict>;
  /** The verdicts of all, and the lists of reasons in which `actual` is nothing but what the body has at their pointers. */
  explain: () => { verdicts: Verdict[]; openReasons: ReadonlySet<readonly Reason[]> };
}

/**
 * Remembers what the triggers of one endpoint say of bodies. Those of a kind, as kinds-of-bodies.ts tells them apart, get the very same list of what
 * they have in common: it leaves open what stands at the places of fixed values, which may be something else each time.
 */
export interface VerdictMemory {
  /** What `explain` gives, to the letter. Folded from the second body of a kind on: many kinds never come again. */
  verdictsOf(question: Question): Verdicts;
}

interface Remembered {
  common: CommonVerdicts;
  /** Where each body says what it has. */
  open: readonly FixedPlace[];
}

const memories = new WeakMap<TriggerIndex, VerdictMemory>();

/** The one of an endpoint, whose triggers and index are what they are until the project is loaded anew. */
export function memoryOf(index: TriggerIndex, triggers: readonly TriggerSource[]): VerdictMemory {
  const memory = memories.get(index) ?? createVerdictMemory(triggers);
  memories.set(index, memory);
  return memory;
}

function createVerdictMemory(triggers: readonly TriggerSource[]): VerdictMemory {
  const kinds = prepareKinds(triggers);
  const remembered = new Map<string, Remembered>();
  const mostRemembered = Math.max(4, Math.floor(mostVerdicts / triggers.length));
  const noted = new Set<string>();

  /** Whether one of this kind has come before. */
  function hasCome(kind: string): boolean {
    if (noted.delete(kind)) return true;
    if (noted.size >= mostNoted) noted.clear();
    noted.add(kind);
    return false;
  }

  /** What came last is kept longest. */
  function keep(kind: string, one: Remembered): Remembered {
    remembered.delete(kind);
    remembered.set(kind, one);
    const [oldest] = remembered.keys();
    if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest);
    return one;
  }

  return {
    verdictsOf({ body, ask, asked, explain }) {
      const described = triggers.length - asked.size < fewest ? null : kinds.describe(body, { asked: [...asked.keys()], ask });
      if (described === null) return explain().verdicts;
      const kind = described.length > 200 ? hash("sha256", described) : described;
      const known = remembered.get(kind);
      if (known) return fold(keep(kind, known), body, asked);
      const { verdicts, openReasons } = explain();
      if (!hasCome(kind)) return verdicts;
      const common = Object.freeze(verdicts.map((verdict, at) => (asked.has(at) ? null : leaveOpen(verdict, openReasons))));
      return fold(keep(kind, { common, open: kinds.placesIn(common) }), body, asked);
    },
  };
}

function fold({ common, open }: Remembered, body: Json, asked: ReadonlyMap<number, Verdict>): Verdicts {
  const actuals = open.map(({ path, pointer }) => {
    const value = fieldAt(body, path);
    return [pointer, value === undefined ? null : shortJson(value)] as const;
  });
  return { common, actuals: Object.fromEntries(actuals), own: [...asked.values()] };
}

function leaveOpen(verdict: Verdict, openReasons: ReadonlySet<readonly Reason[]>): CommonVerdict {
  if (!openReasons.has(verdict.reasons)) return verdict;
  return { ...verdict, reasons: verdict.reasons.map(({ actual: _, ...reason }) => reason) };
}
