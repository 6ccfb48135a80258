import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { toPointer } from "../../../server/domain/json-pointer.ts";
import { compareAlternatives, compareDistances } from "../../../server/domain/schema/nearest-alternative.ts";
import { shapeOfSchema } from "./shape-of-schema.ts";
import type { Trouble } from "./trouble.ts";

/** One alternative of a union, and what it finds wrong with a value. */
export interface Failed {
  schema: JsonSchemaObject;
  troubles: readonly Trouble[];
}

interface Asked {
  root: JsonSchemaObject;
  value: Json;
  pointer: string;
}

/** Of alternatives that all fail, what the one says that the value is nearest to: chosen by the server's own rule. */
export function nearest(alternatives: readonly Failed[], asked: Asked): Trouble[] {
  const { pointer } = asked;
  const lists = alternatives.map(({ troubles }) => troubles);
  if (lists.length === 0) return [];
  if (lists.every((troubles) => troubles.every((trouble) => trouble.pointer === pointer)))
    return [together(lists, pointer)];
  const { index, unmet } = compare(alternatives, asked);
  const place = unmet && pointer + toPointer(unmet.path);
  const said =
    place === null
      ? []
      : lists
          .map((troubles) => troubles.filter((trouble) => trouble.pointer === place))
          .filter((troubles) => troubles.length > 0);
  if (place !== null && said.length > 0) return [together(said, place)];
  return [...(lists[index] ?? [])];
}

/** Which alternative a value is nearest to. */
export function nearestIndex(alternatives: readonly Failed[], asked: Omit<Asked, "pointer">): number {
  return compare(alternatives, asked).index;
}

function compare(alternatives: readonly Failed[], { root, value }: Omit<Asked, "pointer">) {
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

/** No alternative looked inside: say what each would have taken. */
function together(alternatives: readonly (readonly Trouble[])[], pointer: string): Trouble {
  const messages = [...new Set(alternatives.flatMap((troubles) => troubles.slice(0, 1).map(({ message }) => message)))];
  const areAlike = messages.every((message) => message.startsWith("Must be "));
  const message = areAlike
    ? messages.map((message, index) => (index === 0 ? message : message.replace("Must be ", ""))).join(" or ")
    : messages.join(", or ");
  return { pointer, code: messages.length === 1 ? (alternatives[0]?.[0]?.code ?? "union") : "union", message };
}
