import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { toPointer } from "../../../server/domain/json-pointer.ts";
import { compareAlternatives, compareDistances } from "../../../server/domain/schema/nearest-alternative.ts";
import { shapeOfSchema } from "./shape-of-schema.ts";
import type { Issue } from "./trouble.ts";

/** One alternative of a union, and its issues for a value. */
export interface Failed {
  schema: JsonSchemaObject;
  issues: readonly Issue[];
}

interface Context {
  root: JsonSchemaObject;
  value: Json;
  pointer: string;
}

/** The issues of the nearest alternative, if all alternatives fail. Uses the server's rule to choose it. */
export function nearest(alternatives: readonly Failed[], context: Context): Issue[] {
  const { pointer } = context;
  const lists = alternatives.map(({ issues }) => issues);
  if (lists.length === 0) return [];
  if (lists.every((issues) => issues.every((issue) => issue.pointer === pointer))) return [joinIssues(lists, pointer)];
  const { index, unmet } = compare(alternatives, context);
  const place = unmet && pointer + toPointer(unmet.path);
  const said =
    place === null
      ? []
      : lists.map((issues) => issues.filter((issue) => issue.pointer === place)).filter((issues) => issues.length > 0);
  if (place !== null && said.length > 0) return [joinIssues(said, place)];
  return [...(lists[index] ?? [])];
}

/** The index of the alternative nearest to a value. */
export function nearestIndex(alternatives: readonly Failed[], context: Omit<Context, "pointer">): number {
  return compare(alternatives, context).index;
}

function compare(alternatives: readonly Failed[], { root, value }: Omit<Context, "pointer">) {
  const { distances, unmet } = compareAlternatives(
    alternatives.map(({ schema }) => shapeOfSchema(schema, root)),
    value,
  );
  const ranked = alternatives.map(({ issues }, index) => ({
    index,
    distance: [...(distances[index] ?? []), issues.length],
  }));
  const [first] = ranked.toSorted((a, b) => compareDistances(a.distance, b.distance));
  return { index: first?.index ?? 0, unmet };
}

/** Joins the issues at one path: lists what each alternative accepts. */
function joinIssues(alternatives: readonly (readonly Issue[])[], pointer: string): Issue {
  const messages = [...new Set(alternatives.flatMap((issues) => issues.slice(0, 1).map(({ message }) => message)))];
  const areAlike = messages.every((message) => message.startsWith("Must be "));
  const message = areAlike
    ? messages.map((message, index) => (index === 0 ? message : message.replace("Must be ", ""))).join(" or ")
    : messages.join(", or ");
  return { pointer, code: messages.length === 1 ? (alternatives[0]?.[0]?.code ?? "union") : "union", message };
}
