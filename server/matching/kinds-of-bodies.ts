import type { Json } from "../contract/json.ts";
import { toPointer } from "../domain/json/json-pointer.ts";
import type { AnySchema, TriggerSource } from "../ports/project.ts";
import type { ParseOutcome } from "./evaluate-trigger.ts";
import { fieldAt } from "./field-at.ts";
import { restHolds, type SplitSchema, splitSchema } from "./fixed-fields.ts";

/** A path in bodies with fixed values in schemas. */
export interface FixedPlace {
  path: readonly string[];
  pointer: string;
  /** The values that any of them accepts, and the indexes of the triggers that do. */
  values: Map<unknown, number[]>;
}

/** The common properties of many bodies, which determine the verdicts of triggers. */
export interface KindOfBody {
  /** Another text for another kind. */
  key: string;
  /** By pointer, the fixed values that it has and that many triggers ask for. */
  found: ReadonlyMap<string, unknown>;
  /** Triggers whose verdict does not follow from the kind; they are evaluated. */
  open: ReadonlySet<number>;
}

/** What schemas have in common that differ in nothing but fixed fields, or a schema that has none for itself. */
interface Part {
  number: number;
  schemas: AnySchema[];
  split: SplitSchema | null;
}

/** Triggers with the same parts, by their indexes. */
interface Company {
  request: Part;
  filter: Part | null;
  places: number[];
}

/** Values with few triggers are evaluated separately; otherwise there would be as many kinds as values. */
const few = 8;
/** A description longer than that would hold what no other body has. */
const longest = 20_000;
const maxPointer = 500;

/**
 * Groups bodies by kind. The verdicts on a body are determined by: whether the schemas without their fixed fields
 * match, and the reasons if they do not; the reasons of schemas without fixed fields; and the fixed values at the paths
 * where schemas require some. The first two and the values that many triggers require make up a kind. Triggers that
 * require another value of the body are listed separately.
 */
export function prepareKinds(triggers: readonly TriggerSource[]) {
  const companies = companiesOf(triggers);
  const places = placesOf(triggers);

  return {
    places,
    /** `null`: no other body is like it. `deviating`: indexes of triggers with another verdict than the kind. */
    describe(
      body: Json,
      { asked, ask }: { asked: ReadonlyMap<number, unknown>; ask: (schema: AnySchema) => ParseOutcome },
    ): { kind: KindOfBody; deviating: number[] } | null {
      if (places === null) return null;
      const found = new Map<string, unknown>();
      const deviating: number[] = [];
      let key = "";
      for (const { path, pointer, values } of places.values()) {
        const value = fieldAt(body, path);
        const takers = values.get(value) ?? [];
        if (takers.length <= few) {
          deviating.push(...takers);
          continue;
        }
        found.set(pointer, value);
        key += `${JSON.stringify([pointer, typeof value, String(value)])}\n`;
      }
      const isOpen = ({ request, filter, places: own }: Company) =>
        !request.split && !filter?.split && own.every((at) => asked.has(at));
      const open = companies.filter(isOpen);
      const text = describeParts(
        companies.filter((company) => !open.includes(company)),
        (part) => describePart(part, body, ask),
      );
      const openPlaces = open.flatMap((company) => company.places);
      return text === null
        ? null
        : { kind: { key: `${key}${openPlaces.join()}${text}`, found, open: new Set(openPlaces) }, deviating };
    },
  };
}

/** A filter is asked only where the request may hold; each part once. */
function describeParts(
  companies: readonly Company[],
  describe: (part: Part) => { mayHold: boolean; text: string },
): string | null {
  const described = new Map<Part, boolean>();
  let text = "";
  const mayHold = (part: Part): boolean => {
    const known = described.get(part);
    if (known !== undefined) return known;
    const said = describe(part);
    described.set(part, said.mayHold);
    text += `\n${said.text}`;
    return said.mayHold;
  };
  for (const { request, filter } of companies) {
    if (mayHold(request) && filter) mayHold(filter);
    if (text.length > longest) return null;
  }
  return text;
}

function describePart(
  { schemas, split }: Part,
  body: Json,
  ask: (schema: AnySchema) => ParseOutcome,
): { mayHold: boolean; text: string } {
  if (split && restHolds(split, body, (rest) => ask(rest).success)) return { mayHold: true, text: "+" };
  // Each of them would have reasons of its own.
  if (schemas.length > longest / 100) return { mayHold: false, text: " ".repeat(longest + 1) };
  const opinions = schemas.map(ask);
  return {
    mayHold: opinions.some(({ success }) => success),
    text: JSON.stringify(opinions.map((opinion) => (opinion.success ? null : opinion.reasons))),
  };
}

function companiesOf(triggers: readonly TriggerSource[]): Company[] {
  const partOf = prepareParts();
  const companies = new Map<string, Company>();
  for (const [at, { request, filter }] of triggers.entries()) {
    const parts = { request: partOf(request), filter: filter && partOf(filter) };
    const key = `${parts.request.number} ${parts.filter?.number ?? "-"}`;
    const company = companies.get(key) ?? { ...parts, places: [] };
    companies.set(key, company);
    company.places.push(at);
  }
  return [...companies.values()];
}

/** Gives the part that a schema belongs to. */
function prepareParts(): (schema: AnySchema) => Part {
  const numbers = new Map<AnySchema | null, number>();
  const bySchema = new Map<AnySchema, Part>();
  const parts = new Map<string, Part>();
  const numberOf = (schema: AnySchema | null): number => {
    const number = numbers.get(schema) ?? numbers.size;
    numbers.set(schema, number);
    return number;
  };
  return (schema) => {
    const known = bySchema.get(schema);
    if (known) return known;
    const split = splitSchema(schema);
    const key = split ? JSON.stringify([numberOf(split.rest), split.objects]) : String(numberOf(schema));
    const part = parts.get(key) ?? { number: parts.size, schemas: [], split };
    parts.set(key, part);
    bySchema.set(schema, part);
    part.schemas.push(schema);
    return part;
  };
}

/** By pointer; `null` where a pointer may lead to more than one. */
function placesOf(triggers: readonly TriggerSource[]): ReadonlyMap<string, FixedPlace> | null {
  const places = new Map<string, FixedPlace>();
  for (const [at, { request, filter }] of triggers.entries()) {
    const fields = [request, filter].flatMap((schema) => (schema ? (splitSchema(schema)?.fields ?? []) : []));
    for (const { path, values } of fields) {
      const pointer = toPointer(path);
      if (pointer.length > maxPointer) return null;
      const place = places.get(pointer) ?? { path, pointer, values: new Map() };
      places.set(pointer, place);
      for (const value of values) {
        const takers = place.values.get(value);
        if (!takers) place.values.set(value, [at]);
        else if (takers.at(-1) !== at) takers.push(at);
      }
    }
  }
  return places;
}
