import { partOf } from "../contract/request-parts.ts";
import type { BodyMark, DeliverySummary, Verdict } from "../contract/delivery.ts";
import type { Json, JsonSchemaObject } from "../contract/json.ts";
import type { ManifestTrigger } from "../contract/project/manifest.ts";
import { fitsSome } from "../shared/deliveries/describe-reason.ts";
import { toPointer } from "../shared/json/json-pointer.ts";
import { isObject } from "../shared/schema/json-schema.ts";

/**
 * The paths of a body that decided: mismatches by the recorded verdicts or the rejection, matches by the schemas of the
 * current build. `json`: the body as the triggers evaluate it.
 */
export function markBody(p: {
  delivery: Pick<DeliverySummary, "verdicts" | "problem">;
  json: Json;
  triggers: readonly Pick<ManifestTrigger, "attachmentId" | "slug" | "request" | "filter">[];
}): BodyMark[] {
  const { verdicts, problem } = p.delivery;
  const matched = verdicts.flatMap(({ outcome, attachmentId }) => {
    const known = p.triggers.find((one) => one.attachmentId === attachmentId);
    return outcome === "matched" && known ? matchMarks(known, p.json) : [];
  });
  if (verdicts.length > 0) return [...mismatchMarks(verdicts), ...matched];
  return (problem?.errors ?? []).map(({ pointer, message }) => ({
    pointer,
    kind: "wrong",
    text: message,
    triggers: [],
    isOfAll: true,
  }));
}

/** The paths that did not match, each with the expected value, and with the triggers that expect it. */
function mismatchMarks(verdicts: readonly Verdict[]): BodyMark[] {
  // The others do not evaluate the body.
  const evaluating = verdicts.filter(({ outcome }) => outcome !== "disabled" && partOf(outcome) === "body");
  const count = new Set(evaluating.map(({ trigger }) => trigger)).size;
  const isFault = !fitsSome(verdicts);
  const findings = evaluating.flatMap(({ outcome, reasons, trigger }) =>
    reasons.map(({ pointer, expected, message }) => ({
      pointer,
      kind: outcome === "filter_mismatch" ? ("stopped" as const) : isFault ? ("wrong" as const) : ("other" as const),
      text: expected === null ? message : `expected ${expected}`,
      trigger,
    })),
  );
  const same = Map.groupBy(findings, ({ pointer, kind, text }) => JSON.stringify([pointer, kind, text]));
  return [...same.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const triggers = [...new Set(group.map((one) => one.trigger))];
    return [
      { pointer: first.pointer, kind: first.kind, text: first.text, triggers, isOfAll: triggers.length === count },
    ];
  });
}

/** The paths where the body has a `const` or `enum` value of the schemas of a trigger that fired. */
function matchMarks({ slug, request, filter }: Pick<ManifestTrigger, "slug" | "request" | "filter">, json: Json) {
  const pointers = [request, filter].flatMap((schema) =>
    schema ? fixedValuePointers({ schema, value: json, pointer: "", depth: 0 }) : [],
  );
  return [...new Set(pointers)].map((pointer): BodyMark => ({
    pointer,
    kind: "matched",
    text: `matches ${slug}`,
    triggers: [slug],
    isOfAll: true,
  }));
}

const maxDepth = 8;

function fixedValuePointers({
  schema,
  value,
  pointer,
  depth,
}: {
  schema: JsonSchemaObject;
  value: Json | undefined;
  pointer: string;
  depth: number;
}): string[] {
  if (depth > maxDepth) return [];
  const fixed = Array.isArray(schema["enum"]) ? schema["enum"] : "const" in schema ? [schema["const"]] : [];
  const own = fixed.some((one) => one === value) ? [pointer] : [];
  const properties = schema["properties"];
  if (!isObject(value) || !isObject(properties)) return own;
  const inner = Object.entries(properties).flatMap(([key, property]) =>
    Object.hasOwn(value, key) && isObject(property)
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
