import type { Json } from "../../contract/json.ts";
import { type FieldPart, fieldParts, mismatchOf, partOf } from "../../contract/request-parts.ts";
import type { RequestFields } from "../../domain/deliveries/request-fields.ts";
import type { ManifestTrigger } from "../../contract/project/manifest.ts";
import type { ExcludingField, TriggerIndex } from "../../ports/project.ts";
import { type Discriminator, discriminatorsOf, fieldAt, isScalar, type Scalar } from "./discriminators.ts";

type Exported = Pick<ManifestTrigger, "request" | "filter"> & Partial<Pick<ManifestTrigger, FieldPart>>;

interface Rule extends Discriminator {
  field: ExcludingField;
}

/** Triggers that are indexed by the value of one field. */
interface Bucket {
  field: ExcludingField;
  all: number[];
  byValue: Map<Scalar, number[]>;
}

/**
 * An index over the exported schemas of the triggers on one endpoint: the triggers that a request can match at all.
 * Each trigger is indexed by its most selective fixed value, which the fewest other triggers require. Its other fixed
 * values are checked when it is found.
 */
export function buildTriggerIndex(triggers: readonly Exported[]): TriggerIndex {
  const { rules, buckets, anywhere } = index(triggers);
  const excludingField = (at: number, body: Json, fields: RequestFields | null = null) =>
    rules[at]?.find((rule) => !canMatch(rule, body, fields))?.field ?? null;
  return {
    candidates(body, fields = null) {
      const found = [...anywhere, ...buckets.flatMap((bucket) => take(bucket, body, fields))];
      return found.filter((at) => excludingField(at, body, fields) === null).sort((a, b) => a - b);
    },
    countExcluded(body, fields = null) {
      const counts = new Map<ExcludingField, number>();
      const add = (field: ExcludingField, count: number) => counts.set(field, (counts.get(field) ?? 0) + count);
      for (const bucket of buckets) {
        const taken = take(bucket, body, fields);
        if (taken.length < bucket.all.length) add(bucket.field, bucket.all.length - taken.length);
        for (const at of taken) {
          const field = excludingField(at, body, fields);
          if (field) add(field, 1);
        }
      }
      return counts;
    },
    excludingField,
  };
}

/** The rules of each trigger, the most selective first, and the buckets of these. `anywhere`: triggers without rules. */
function index(triggers: readonly Exported[]): { rules: Rule[][]; buckets: Bucket[]; anywhere: number[] } {
  const buckets = new Map<string, Bucket>();
  const bucketOf = (outcome: ExcludingField["outcome"], path: readonly string[]): Bucket => {
    const key = JSON.stringify([outcome, path]);
    const bucket = buckets.get(key) ?? { field: { outcome, path }, all: [], byValue: new Map<Scalar, number[]>() };
    buckets.set(key, bucket);
    return bucket;
  };
  const toRules = (outcome: ExcludingField["outcome"], discriminators: readonly Discriminator[]): Rule[] =>
    discriminators.map((one) => ({ ...one, field: bucketOf(outcome, one.path).field }));
  const unsorted = triggers.map((trigger) => [
    ...fieldParts.flatMap((part) => toRules(mismatchOf[part], trigger[part] ? discriminatorsOf(trigger[part]) : [])),
    ...toRules("request_mismatch", discriminatorsOf(trigger.request)),
    ...toRules("filter_mismatch", trigger.filter ? discriminatorsOf(trigger.filter) : []),
  ]);
  const selectivity = measureSelectivity(unsorted);
  const rules = unsorted.map((own) => own.toSorted((a, b) => selectivity(a) - selectivity(b)));
  const anywhere: number[] = [];
  for (const [at, [first]] of rules.entries()) {
    if (!first) {
      anywhere.push(at);
      continue;
    }
    const { all, byValue } = bucketOf(first.field.outcome, first.path);
    all.push(at);
    for (const value of first.values) {
      const others = byValue.get(value);
      if (others) others.push(at);
      else byValue.set(value, [at]);
    }
  }
  return { rules, buckets: [...buckets.values()].filter(({ all }) => all.length > 0), anywhere };
}

/** The number of triggers that require the most common of a rule's values; less is more selective. */
function measureSelectivity(rules: readonly (readonly Rule[])[]): (rule: Rule) => number {
  const counts = new Map<string, number>();
  for (const rule of rules.flat())
    for (const value of rule.values) counts.set(keyOf(rule, value), (counts.get(keyOf(rule, value)) ?? 0) + 1);
  return (rule) => Math.max(0, ...[...rule.values].map((value) => counts.get(keyOf(rule, value)) ?? 0));
}

/** `request` and `filter` read the same body. */
function keyOf({ path, field }: Rule, value: Scalar): string {
  return JSON.stringify([partOf(field.outcome), path, value]);
}

function take({ field, all, byValue }: Bucket, body: Json, fields: RequestFields | null): readonly number[] {
  if (isUnevaluated(field, fields)) return all;
  const value = valueOf(field, body, fields);
  if (isUnwritable(value)) return all;
  return isScalar(value) ? (byValue.get(value) ?? []) : [];
}

function canMatch({ field, values }: Rule, body: Json, fields: RequestFields | null): boolean {
  if (isUnevaluated(field, fields)) return true;
  const value = valueOf(field, body, fields);
  return isUnwritable(value) || (isScalar(value) && values.has(value));
}

function isUnevaluated({ outcome }: ExcludingField, fields: RequestFields | null): boolean {
  return fields === null && partOf(outcome) !== "body";
}

/** The value of a field in the part of the request that its schema reads. */
export function valueOf({ outcome, path }: ExcludingField, body: Json, fields: RequestFields | null): Json | undefined {
  const part = partOf(outcome);
  return fieldAt(part === "body" ? body : (fields?.[part] ?? null), path);
}

/** `1e999` in a body is Infinity, which a schema may require and its export cannot write. */
function isUnwritable(value: Json | undefined): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}
