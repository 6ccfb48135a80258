import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import type { Problem } from "../../../server/contract/problem.ts";
import type { Verdict } from "../../../server/contract/delivery.ts";
import { toPointer } from "../../../server/domain/json/json-pointer.ts";
import { isObject } from "../../../server/domain/schema/json-schema.ts";
import type { JsonMark } from "../../json/pointers.ts";
import { fitsSome, type Tone } from "../../ui/statuses.ts";

/**
 * The paths in a body that did not match, each with the expected value, and with the triggers if they differ.
 * `trigger`: only the paths of this trigger.
 */
export function verdictMarks(verdicts: readonly Verdict[], trigger: string | null): JsonMark[] {
  // The others do not evaluate the body.
  const chosen = verdicts
    .filter(({ outcome }) => outcome !== "disabled" && outcome !== "headers_mismatch")
    .filter((verdict) => trigger === null || verdict.trigger === trigger);
  const evaluated = new Set(chosen.map((verdict) => verdict.trigger)).size;
  const findings = chosen.flatMap(({ outcome, reasons, trigger }) =>
    reasons.map(({ pointer, expected, message }) => ({
      pointer,
      tone: outcome === "request_mismatch" && fitsSome(verdicts) ? ("idle" as const) : tones[outcome],
      text: expected === null ? message : `expected ${expected}`,
      trigger,
    })),
  );
  const same = Map.groupBy(findings, ({ pointer, tone, text }) => JSON.stringify([pointer, tone, text]));
  return [...same.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const by = [...new Set(group.map((one) => one.trigger))];
    return [
      {
        pointer: first.pointer,
        tone: first.tone,
        note: by.length === evaluated ? first.text : `${by.join(", ")}: ${first.text}`,
      },
    ];
  });
}

const tones: Record<Verdict["outcome"], Tone> = {
  matched: "ok",
  headers_mismatch: "wait",
  request_mismatch: "bad",
  filter_mismatch: "wait",
  disabled: "idle",
};

/** The paths that a rejection names when no trigger was evaluated. */
export function problemMarks(problem: Problem | null): JsonMark[] {
  return (problem?.errors ?? []).map(({ pointer, message }) => ({ pointer, tone: "bad", note: message }));
}

/** The paths where the body has a `const` or `enum` value of the schemas of a trigger that fired. */
export function matchedMarks({
  trigger,
  schemas,
  json,
}: {
  trigger: string;
  schemas: readonly (JsonSchemaObject | null)[];
  json: Json | undefined;
}): JsonMark[] {
  const marks = schemas.flatMap((schema) =>
    schema ? fixedValuePointers({ schema, value: json, pointer: "", depth: 0 }) : [],
  );
  return [...new Set(marks)].map((pointer) => ({ pointer, tone: "ok", note: `matches ${trigger}` }));
}

const maxDepth = 8;

function fixedValuePointers({
  schema,
  value,
  pointer,
  depth,
}: {
  schema: Json;
  value: Json | undefined;
  pointer: string;
  depth: number;
}): string[] {
  if (!isObject(schema) || depth > maxDepth) return [];
  const fixed = Array.isArray(schema["enum"]) ? schema["enum"] : "const" in schema ? [schema["const"]] : [];
  const own = fixed.some((one) => one === value) ? [pointer] : [];
  const properties = schema["properties"];
  if (!isObject(value) || !isObject(properties)) return own;
  const inner = Object.entries(properties).flatMap(([key, property]) =>
    Object.hasOwn(value, key) && property !== undefined
      ? fixedValuePointers({
          schema: property,
          value: value[key],
          pointer: pointer + toPointer([key]),
          depth: depth + 1,
        })
      : [],
  );
  return [...own, ...inner];
}
