import type { Json } from "../contract/json.ts";
import { toPointer } from "../domain/json-pointer.ts";
import type { CommonVerdicts } from "../domain/verdict-list.ts";
import type { AnySchema, TriggerSource } from "../ports/project.ts";
import type { Opinion } from "./evaluate-trigger.ts";
import { fieldAt } from "./field-at.ts";
import { restHolds, type SplitSchema, splitSchema } from "./fixed-fields.ts";

/** A place in bodies where schemas ask for fixed values. */
export interface FixedPlace {
  path: readonly string[];
  pointer: string;
  /** All that any of them takes, numbered. */
  values: Map<unknown, number>;
}

/** What schemas have in common that differ in nothing but fixed fields, or a schema that has none for itself. */
interface Part {
  number: number;
  schemas: AnySchema[];
  split: SplitSchema | null;
}

/** Triggers with the same parts, by their places. */
interface Company {
  request: Part;
  filter: Part | null;
  places: number[];
}

/** A description longer than that would hold what no other body has. */
const longest = 20_000;
const longestPointer = 500;

/**
 * Tells kinds of bodies apart. What the triggers say of a body is determined by: which of the fixed values it has at the places where schemas ask for some;
 * whether what is left of schemas without their fixed fields holds, and the reasons where it does not; and the reasons of schemas without fixed fields. All
 * this is described, but for triggers that were asked: of bodies described alike, the others say the same, but for what stands at the places of fixed values.
 */
export function prepareKinds(triggers: readonly TriggerSource[]) {
  const partOf = prepareParts();
  const companies = new Map<string, Company>();
  const companyAt = triggers.map(({ request, filter }, at) => {
    const parts = { request: partOf(request), filter: filter && partOf(filter) };
    const key = `${parts.request.number} ${parts.filter?.number ?? "-"}`;
    const company = companies.get(key) ?? { ...parts, places: [] };
    companies.set(key, company);
    company.places.push(at);
    return company;
  });
  const places = placesOf(triggers);

  return {
    /** `null`: it is like no other. */
    describe(body: Json, { asked, ask }: { asked: readonly number[]; ask: (schema: AnySchema) => Opinion }): string | null {
      if (places === null) return null;
      const others = whoElse(companies, asked.flatMap((at) => companyAt[at] ?? []));
      const found = [...places.values()].map(({ path, values }) => values.get(fieldAt(body, path)) ?? "-");
      return describeParts(`${asked.join()} ${found.join()}`, others, (part) => describePart(part, body, ask));
    },
    /** Those whose values the verdicts leave open. */
    placesIn(common: CommonVerdicts): FixedPlace[] {
      const pointers = common.flatMap((verdict) => verdict?.reasons.flatMap(({ pointer, actual }) => (actual === undefined ? [pointer] : [])) ?? []);
      return [...new Set(pointers)].flatMap((pointer) => places?.get(pointer) ?? []);
    },
  };
}

/** Those that are not asked altogether. */
function whoElse(companies: ReadonlyMap<string, Company>, asked: readonly Company[]): Company[] {
  const counts = new Map<Company, number>();
  for (const company of asked) counts.set(company, (counts.get(company) ?? 0) + 1);
  return [...companies.values()].filter((company) => counts.get(company) !== company.places.length);
}

/** A filter is asked only where the request may hold; each part once. */
function describeParts(found: string, companies: readonly Company[], describe: (part: Part) => { mayHold: boolean; text: string }): string | null {
  const described = new Map<Part, boolean>();
  let text = found;
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

function describePart({ schemas, split }: Part, body: Json, ask: (schema: AnySchema) => Opinion): { mayHold: boolean; text: string } {
  if (split && restHolds(split, body, (rest) => ask(rest).success)) return { mayHold: true, text: "+" };
  const opinions = schemas.length > longest / 100 ? null : schemas.map(ask);
  if (opinions === null) return { mayHold: false, text: " ".repeat(longest + 1) };
  return { mayHold: opinions.some(({ success }) => success), text: JSON.stringify(opinions.map((opinion) => (opinion.success ? null : opinion.reasons))) };
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
  const schemas = new Set(triggers.flatMap(({ request, filter }) => (filter ? [request, filter] : [request])));
  for (const { path, values } of [...schemas].flatMap((schema) => splitSchema(schema)?.fields ?? [])) {
    const pointer = toPointer(path);
    if (pointer.length > longestPointer) return null;
    const place = places.get(pointer) ?? { path, pointer, values: new Map() };
    places.set(pointer, place);
    for (const value of values) if (!place.values.has(value)) place.values.set(value, place.values.size);
  }
  return places;
}
