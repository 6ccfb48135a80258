import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { toPointer } from "../../../server/domain/json-pointer.ts";
import { compareAlternatives, compareDistances } from "../../../server/domain/schema/nearest-alternative.ts";
import { shapeOfSchema } from "./shape-of-schema.ts";
import type { Trouble } from "./trouble.ts";

/** One alternative of a union, and its issues for a value. */
export interface Failed {
  schema: JsonSchemaObject;
  troubles: readonly Trouble[];
}

interface Context {
  root: JsonSchemaObject;
  value: Json;
  pointer: string;
}

/** The issues of the nearest alternative, if all alternatives fail. Uses the server's rule to choose it. */
export function nearest(alternatives: readonly Failed[], context: Context): Trouble[] {
  const { pointer } = context;
  const lists = alternatives.map(({ troubles }) => troubles);
  if (lists.length === 0) return [];
  if (lists.every((troubles) => troubles.every((trouble) => trouble.pointer === pointer)))
    return [joinIssues(lists, pointer)];
  const { index, unmet } = compare(alternatives, context);
  const place = unmet && pointer + toPointer(unmet.path);
  const said =
    place === null
      ? []
      : lists
          .map((troubles) => troubles.filter((trouble) => trouble.pointer === place))
          .filter((troubles) => troubles.length > 0);
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
  const ranked = alternatives.map(({ troubles }, index) => ({
    index,
    distance: [...(distances[index] ?? []), troubles.length],
  }));
  const [first] = ranked.toSorted((a, b) => compareDistances(a.distance, b.distance));
  return { index: first?.index ?? 0, unmet };
}

/** Joins the issues at one path: lists what each alternative accepts. */
function joinIssues(alternatives: readonly (readonly Trouble[])[], pointer: string): Trouble {
  const messages = [...new Set(alternatives.flatMap((troubles) => troubles.slice(0, 1).map(({ message }) => message)))];
  const areAlike = messages.every((message) => message.startsWith("Must be "));
  const message = areAlike
    ? messages.map((message, index) => (index === 0 ? message : message.replace("Must be ", ""))).join(" or ")
    : messages.join(", or ");
  return { pointer, code: messages.length === 1 ? (alternatives[0]?.[0]?.code ?? "union") : "union", message };
}
