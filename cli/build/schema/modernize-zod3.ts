import { isRecord } from "./zod-node.ts";

type Exported = Record<string, unknown>;

/** On an exported schema: the names of its source schemas. Copies keep the symbol, JSON does not. */
const madeOf = Symbol("made of");

export function markMadeOf<J extends object | undefined>(json: J, name: string): J {
  return json && Object.assign(json, { [madeOf]: [...namesOf(json), name] });
}

function namesOf(json: object): string[] {
  const names: unknown = Reflect.get(json, madeOf);
  return Array.isArray(names) ? names : [];
}

/** The locations of the named schemas, and the references to them. */
interface Trail {
  places: Map<string, string>;
  references: Exported[];
}

/**
 * Draft 7 to 2020-12: tuples become `prefixItems`. A `$ref` with a name from markMadeOf becomes the location of that
 * schema.
 */
export function modernizeZod3(exported: Exported): Exported {
  const trail: Trail = { places: new Map(), references: [] };
  const modern = modernize(exported, "#", trail);
  for (const reference of trail.references) {
    const place = trail.places.get(String(reference["$ref"]));
    if (place !== undefined) reference["$ref"] = place;
    // The exporter omitted the target. Zod itself still checks it.
    else delete reference["$ref"];
  }
  return isRecord(modern) ? modern : {};
}

function modernize(value: unknown, place: string, trail: Trail): unknown {
  if (Array.isArray(value)) return value.map((item, index) => modernize(item, `${place}/${index}`, trail));
  if (!isRecord(value)) return value;
  for (const name of namesOf(value)) if (!trail.places.has(name)) trail.places.set(name, place);
  const modern: Exported = {};
  for (const [key, child] of Object.entries(value)) {
    if (key === "$schema" || key === "additionalItems" || (key === "items" && Array.isArray(child))) continue;
    modern[key] = modernizeKeyword(key, child, { place: `${place}/${key}`, trail });
  }
  if (typeof modern["$ref"] === "string") trail.references.push(modern);
  if (Array.isArray(value["items"])) {
    modern["prefixItems"] = modernize(value["items"], `${place}/prefixItems`, trail);
    modern["items"] =
      value["additionalItems"] === undefined ? false : modernize(value["additionalItems"], `${place}/items`, trail);
  }
  return modern;
}

function modernizeKeyword(key: string, child: unknown, { place, trail }: { place: string; trail: Trail }): unknown {
  // JSON values of the user, not schemas.
  if (["default", "const", "enum", "examples", "required"].includes(key)) return child;
  if (!["properties", "patternProperties"].includes(key) || !isRecord(child)) return modernize(child, place, trail);
  return Object.fromEntries(
    Object.entries(child).map(([name, schema]) => [name, modernize(schema, `${place}/${toStep(name)}`, trail)]),
  );
}

/** One step of a reference. A lone surrogate cannot be encoded, so it is kept. */
function toStep(name: string): string {
  const escaped = name.replaceAll("~", "~0").replaceAll("/", "~1");
  return Array.from(escaped, (character) =>
    character.isWellFormed() ? encodeURIComponent(character) : character,
  ).join("");
}
