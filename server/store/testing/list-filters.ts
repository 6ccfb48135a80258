import * as fc from "fast-check";
import { spendFilterSchema } from "../../contract/filters.ts";
import type { Run } from "../../contract/run.ts";
import { hasFailed } from "../../shared/runs/run-state.ts";
import type { DeliveryFilter, NewDelivery } from "../../ports/store/delivery-store.ts";
import type { RunFilter, SpendFilter } from "../../ports/store/run-store.ts";
import { epoch, hasAsciiText } from "./factories.ts";

/**
 * The filters of lists without SQL: for each field some values, and whether a row satisfies it. The tests of lists
 * compare the stores with them.
 */
interface Field<Row, Value> {
  values: fc.Arbitrary<Value>;
  isOf: (row: Row, value: Value) => boolean;
}

type Fields<Filter, Row> = { [Name in keyof Filter]-?: Field<Row, Exclude<Filter[Name], undefined>> };
type StoredRun = Run & { keyId: string | null };

const time = fc.integer({ min: epoch, max: epoch + 8 });
const ofRuns = fc.constantFrom("run_1", "run_2");
const flag = fc.constant(true as const);

const runFields: Fields<RunFilter, StoredRun> = {
  trigger: { values: fc.constantFrom("t", "u", "none"), isOf: (run, slug) => run.trigger === slug },
  target: { values: fc.constantFrom("a", "b"), isOf: (run, slug) => run.target.slug === slug },
  targetKind: { values: fc.constantFrom("workflow", "agent"), isOf: (run, kind) => run.target.kind === kind },
  status: {
    values: fc.constantFrom("queued", "waiting", "running", "completed", "failed", "canceled"),
    isOf: (run, status) => run.status === status,
  },
  delivery: { values: fc.constantFrom("dlv_1", "dlv_2"), isOf: (run, id) => run.deliveryId === id },
  key: { values: fc.constantFrom("customer 1", "customer 2"), isOf: (run, key) => run.key === key },
  version: { values: fc.constantFrom("v1", "v2"), isOf: (run, id) => run.version === id },
  keyId: { values: fc.constantFrom("key_1", "key_2"), isOf: (run, id) => run.keyId === id },
  replayOf: { values: ofRuns, isOf: (run, id) => run.replayOf === id },
  failureOf: { values: ofRuns, isOf: (run, id) => run.failureOf === id },
  childOf: { values: ofRuns, isOf: (run, id) => run.childOf === id },
  since: { values: time, isOf: (run, at) => Date.parse(run.createdAt) >= at },
  until: { values: time, isOf: (run, at) => Date.parse(run.createdAt) < at },
  text: {
    values: fc.constantFrom("x", "b", "Über", '"name":', "nowhere"),
    isOf: ({ payload, input }, text) =>
      [payload, input].some((json) => json !== null && hasAsciiText(JSON.stringify(json), text)),
  },
  minTokens: { values: fc.integer({ min: 0, max: 7 }), isOf: (run, count) => (run.tokens ?? -1) >= count },
  minCostUsd: { values: fc.constantFrom(0, 0.25, 0.5, 1), isOf: (run, usd) => (run.costUsd ?? -1) >= usd },
  // The runs of these tests wait for no approvals.
  needsApproval: { values: flag, isOf: () => false },
  // Nor for other runs of their key.
  waitsForKey: { values: flag, isOf: () => false },
  // Nor for events.
  waitsForEvent: { values: fc.constantFrom("s"), isOf: () => false },
  unresolved: { values: flag, isOf: (run) => hasFailed(run.status) && run.replayedAs === null },
};

const outcome = fc.constantFrom("matched" as const, "request_mismatch" as const, "filter_mismatch" as const);

const deliveryFields: Fields<DeliveryFilter, NewDelivery> = {
  endpoint: { values: fc.constantFrom("e", "f", "none"), isOf: (delivery, name) => delivery.endpoint === name },
  outcome: {
    values: fc.constantFrom("accepted", "skipped", "rejected"),
    isOf: (delivery, wanted) => delivery.outcome === wanted,
  },
  status: { values: fc.constantFrom(202, 422), isOf: (delivery, status) => delivery.responseStatus === status },
  verdict: {
    values: fc.record({ trigger: fc.constantFrom("t", "u"), outcomes: fc.uniqueArray(outcome, { maxLength: 2 }) }),
    isOf: ({ verdicts }, wanted) =>
      verdicts.some((verdict) => verdict.trigger === wanted.trigger && wanted.outcomes.includes(verdict.outcome)),
  },
  redeliveryOf: { values: fc.constantFrom("dlv_1", "dlv_2"), isOf: (delivery, id) => delivery.redeliveryOf === id },
  since: { values: time, isOf: (delivery, at) => delivery.receivedAt >= at },
  until: { values: time, isOf: (delivery, at) => delivery.receivedAt < at },
  text: {
    values: fc.constantFrom("x", "B", '"a"', "Über", "über", "nowhere"),
    isOf: ({ body }, text) => body !== null && hasAsciiText(Buffer.from(body).toString(), text),
  },
};

export const runFilters = filtersOf<RunFilter>(runFields);
export const deliveryFilters = filtersOf<DeliveryFilter>(deliveryFields);
export const spendFilters = filtersOf<SpendFilter>(runFields, Object.keys(spendFilterSchema.shape));

/** Filters with up to four of the fields: with more, they would match no row. */
function filtersOf<Filter>(
  fields: Readonly<Record<string, { values: fc.Arbitrary<unknown> }>>,
  names = Object.keys(fields),
): fc.Arbitrary<Filter> {
  const pick = (some: string[]) =>
    Object.fromEntries(some.flatMap((name) => (fields[name] ? [[name, fields[name].values] as const] : [])));
  return fc.subarray(names, { maxLength: 4 }).chain((some) => fc.record(pick(some))) as fc.Arbitrary<Filter>;
}

export function isRunOf(filter: RunFilter, run: StoredRun): boolean {
  return isOf(runFields, filter, run);
}

export function isDeliveryOf(filter: DeliveryFilter, delivery: NewDelivery): boolean {
  return isOf(deliveryFields, filter, delivery);
}

function isOf<Filter extends object, Row>(fields: Fields<Filter, Row>, filter: Filter, row: Row): boolean {
  const isSatisfied = <Name extends keyof Filter>(name: Name) => {
    const value = filter[name];
    return value === undefined || fields[name].isOf(row, value as Exclude<Filter[Name], undefined>);
  };
  return (Object.keys(filter) as (keyof Filter)[]).every(isSatisfied);
}
