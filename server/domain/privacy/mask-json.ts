import type { Json } from "../../contract/json.ts";
import { isObject } from "../../shared/schema/json-schema.ts";
import type { Faker } from "./fake-value.ts";
import type { SensitivePlace } from "./sensitive-schema.ts";

/** A sensitive string, number or key, and what is shown in its place. */
export interface MaskedValue {
  original: string | number;
  shown: string | number;
  /** A key of an object. */
  isKey?: true;
}

/**
 * A copy of a value in which everything sensitive is replaced. A value of another type than its schema is replaced as a
 * whole if a value below it would be sensitive. `replaced` collects the strings, the numbers and the keys.
 */
export function maskJson(
  value: Json,
  place: SensitivePlace | null,
  { faker, replaced = [] }: { faker: Faker; replaced?: MaskedValue[] },
): Json {
  if (!place?.hasSensitive) return value;
  if (place.isSensitive || !descends(value, place)) return maskAll(value, place, { faker, replaced });
  if (Array.isArray(value)) return value.map((item, at) => maskJson(item, place.item(at), { faker, replaced }));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, maskJson(each, place.property(name), { faker, replaced })]),
  );
}

/** Whether the schemas look into a value of this type. */
function descends(value: Json, place: SensitivePlace): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return describesParts(place, "array");
  return isObject(value) && describesParts(place, "object");
}

const partKeywords = {
  array: ["items", "prefixItems"],
  object: ["properties", "patternProperties", "additionalProperties"],
} as const;

/** Whether the schemas describe the parts of such a value. */
export function describesParts({ schemas }: SensitivePlace, type: keyof typeof partKeywords): boolean {
  return schemas.some((schema) => partKeywords[type].some((keyword) => schema[keyword] !== undefined));
}

/** Keeps the shape and the fields that the schema names. */
function maskAll(value: Json, place: SensitivePlace | null, p: { faker: Faker; replaced: MaskedValue[] }): Json {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((item, at) => maskAll(item, place?.item(at) ?? null, p));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => {
        const isNamed = place?.schemas.some((schema) => names(schema["properties"], name)) === true;
        return [isNamed ? name : maskKey(name, p), maskAll(each, place?.property(name) ?? null, p)];
      }),
    );
  const schemas = place?.schemas ?? [];
  if (typeof value === "boolean") return schemas.some((schema) => schema["const"] === value) && value;
  const shown = typeof value === "number" ? p.faker.number(value, schemas) : p.faker.text(value, schemas);
  p.replaced.push({ original: value, shown });
  return shown;
}

function maskKey(name: string, { faker, replaced }: { faker: Faker; replaced: MaskedValue[] }): string {
  const shown = faker.text(name);
  replaced.push({ original: name, shown, isKey: true });
  return shown;
}

function names(properties: Json | undefined, name: string): boolean {
  return isObject(properties) && Object.hasOwn(properties, name);
}
