import type { Json } from "../contract/json.ts";
import type { Reason } from "../contract/delivery.ts";
import type { CommonVerdict, CommonVerdicts } from "../domain/deliveries/verdict-list.ts";
import type { AnySchema, TriggerSource } from "../ports/project.ts";
import { evaluateTrigger, type ParseOutcome, rememberAnswers } from "./evaluate-trigger.ts";
import { maxReasons } from "./explain.ts";
import { restHolds, splitSchema } from "./fixed-fields.ts";
import type { FixedPlace, KindOfBody } from "./kinds-of-bodies.ts";

export interface KindVerdicts {
  common: CommonVerdicts;
  /** Where `common` has nothing. */
  gaps: readonly number[];
  /** The path whose actual value each body provides. */
  open: readonly FixedPlace[];
}

interface Example {
  kind: KindOfBody;
  /** A body of the kind, and what schemas say of it. */
  body: Json;
  ask: (schema: AnySchema) => ParseOutcome;
}

/** What each trigger says of any body of a kind that has none of the values that few triggers ask for. */
export function verdictsOfKind(
  triggers: readonly TriggerSource[],
  { places, ...example }: Example & { places: ReadonlyMap<string, FixedPlace> },
): KindVerdicts {
  const openReasons = new Set<readonly Reason[]>();
  const ask = rememberAnswers((schema) => {
    const failing = failingFields(schema, example);
    if (!failing) return example.ask(schema);
    if (failing.length === 0) return { success: true, payload: null };
    openReasons.add(failing);
    return { success: false, reasons: failing };
  });
  const common = triggers.map((trigger, at): CommonVerdict | null => {
    if (example.kind.open.has(at)) return null;
    const { verdict } = evaluateTrigger(trigger, ask);
    if (verdict.outcome === "matched") return null;
    if (!openReasons.has(verdict.reasons)) return verdict;
    return {
      ...verdict,
      reasons: verdict.reasons.map(({ pointer, code, message, expected }) => ({ pointer, code, message, expected })),
    };
  });
  const pointers = new Set([...openReasons].flatMap((reasons) => reasons.map(({ pointer }) => pointer)));
  return {
    common: Object.freeze(common),
    gaps: common.flatMap((verdict, at) => (verdict ? [] : [at])),
    open: [...pointers].flatMap((pointer) => places.get(pointer) ?? []),
  };
}

/** The reasons of the fixed fields that do not hold; `null` where it is not for them to decide. */
function failingFields(schema: AnySchema, { kind, body, ask }: Example): Reason[] | null {
  const split = splitSchema(schema);
  if (!split || !restHolds(split, body, (rest) => ask(rest).success)) return null;
  const failing = split.fields.filter(
    ({ values, reason }) => !(kind.found.has(reason.pointer) && values.has(kind.found.get(reason.pointer))),
  );
  return failing.slice(0, maxReasons).map(({ reason }) => reason);
}
