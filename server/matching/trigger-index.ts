import type { Json } from "../contract/json.ts";
import type { ManifestTrigger } from "../contract/project/manifest.ts";
import type { TriggerIndex } from "../ports/project.ts";
import { type Discriminator, discriminatorsOf, type Scalar } from "./discriminators.ts";
import { fieldAt } from "./field-at.ts";

type Exported = Pick<ManifestTrigger, "request" | "filter">;

/** Triggers that are indexed by the value at one path of a body. */
interface Shelf {
  path: readonly string[];
  all: number[];
  byValue: Map<Scalar, number[]>;
}

/**
 * An index over the exported schemas of the triggers on one endpoint: the triggers that a body can match at all. Each
 * trigger is indexed by the one of its fixed values that it shares with the fewest other triggers. Its other values are
 * checked when it is found.
 */
export function buildTriggerIndex(triggers: readonly Exported[]): TriggerIndex {
  const rules = triggers.map(({ request, filter }) => [
    ...discriminatorsOf(request),
    ...(filter ? discriminatorsOf(filter) : []),
  ]);
  const company = countCompany(rules);
  const shelves = new Map<string, Shelf>();
  const anywhere: number[] = [];
  for (const [at, own] of rules.entries()) {
    const [rarest] = own.toSorted((a, b) => crowd(a, company) - crowd(b, company));
    if (rarest) shelve(shelves, rarest, at);
    else anywhere.push(at);
  }
  const all = [...shelves.values()];
  return {
    candidates(body) {
      const found = [...anywhere, ...all.flatMap((shelf) => take(shelf, body))];
      return found.filter((at) => rules[at]?.every((rule) => mayHold(rule, body))).sort((a, b) => a - b);
    },
  };
}

/** The number of triggers that require a value at a path. */
function countCompany(rules: readonly (readonly Discriminator[])[]): ReadonlyMap<string, number> {
  const company = new Map<string, number>();
  for (const { path, values } of rules.flat())
    for (const value of values) company.set(placeOf(path, value), (company.get(placeOf(path, value)) ?? 0) + 1);
  return company;
}

function crowd({ path, values }: Discriminator, company: ReadonlyMap<string, number>): number {
  return Math.max(0, ...[...values].map((value) => company.get(placeOf(path, value)) ?? 0));
}

function placeOf(path: readonly string[], value: Scalar): string {
  return JSON.stringify([path, value]);
}

function shelve(shelves: Map<string, Shelf>, { path, values }: Discriminator, at: number): void {
  const key = JSON.stringify(path);
  const shelf = shelves.get(key) ?? { path, all: [], byValue: new Map<Scalar, number[]>() };
  shelves.set(key, shelf);
  shelf.all.push(at);
  for (const value of values) {
    const others = shelf.byValue.get(value);
    if (others) others.push(at);
    else shelf.byValue.set(value, [at]);
  }
}

function take({ path, all, byValue }: Shelf, body: Json): readonly number[] {
  const value = fieldAt(body, path);
  if (isUnwritable(value)) return all;
  return isScalar(value) ? (byValue.get(value) ?? []) : [];
}

function mayHold({ path, values }: Discriminator, body: Json): boolean {
  const value = fieldAt(body, path);
  return isUnwritable(value) || (isScalar(value) && values.has(value));
}

/** `1e999` in a body is Infinity, which a schema may ask for and its export cannot write. */
function isUnwritable(value: Json | undefined): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}

function isScalar(value: Json | undefined): value is Scalar {
  return value !== undefined && (value === null || typeof value !== "object");
}
