import * as fc from "fast-check";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import type { Json } from "../../contract/json.ts";
import { fromPointer, valueAt } from "../../shared/json/json-pointer.ts";
import { describeDrift } from "./describe-drift.ts";
import { addDelivery, emptyContracts, findChanges, readStoredContracts, writeContracts } from "./endpoint-contracts.ts";
import { type EventContract, type EventSample, addEvent, emptyEventContract, isUnnamed } from "./event-contract.ts";
import { eventKind } from "./event-kind.ts";
import { findDrift } from "./find-drift.ts";
import { isConstantName, isDataName } from "./shape.ts";

const examples = createRequire(import.meta.url)("@octokit/webhooks-examples") as { name: string; examples: Json[] }[];
const startAt = Date.parse("2026-11-21T10:00:00Z");
const everything = { since: 0 };
const cases = 200;

interface Delivered {
  body: Json;
  event: string;
}

const corpus: Delivered[] = examples.flatMap(({ name, examples: bodies }) =>
  bodies.map((body) => ({ body, event: name })),
);

/** The smaller ones: they have the same parts, and take less time. */
const small = corpus
  .map((delivered) => ({ delivered, bytes: JSON.stringify(delivered.body).length }))
  .sort((a, b) => a.bytes - b.bytes)
  .slice(0, 80)
  .map(({ delivered }) => delivered);

function receive(
  deliveries: readonly Delivered[],
  { contracts = emptyContracts(), from = 0 }: { contracts?: ReturnType<typeof emptyContracts>; from?: number } = {},
): ReturnType<typeof emptyContracts> {
  deliveries.forEach(({ body, event }, at) => {
    const kind = eventKind(body, { "x-github-event": event });
    const seenAt = startAt + (from + at) * 60_000;
    addDelivery(contracts, { id: `dlv_${from + at}`, kind, body, seenAt, decisions: [] });
  });
  return contracts;
}

/** Some payloads, each of them often. */
const mixes = fc.record({
  from: fc.nat(small.length - 1),
  span: fc.integer({ min: 1, max: 6 }),
  order: fc.array(fc.nat(1_000), { minLength: 60, maxLength: 60 }),
});
const pick = (from: readonly Delivered[], at: number): Delivered => from[at % from.length] ?? { body: null, event: "" };

describe("GitHub's own example payloads", () => {
  it("have no drift, in any order and however often each comes", () => {
    expect(corpus).toHaveLength(329);
    fc.assert(
      fc.property(mixes, ({ from, span, order }) => {
        const contracts = receive(order.map((at) => pick(small, from + (at % span))));
        expect(findChanges(contracts, everything).map(({ drift }) => describeDrift(drift))).toEqual([]);
      }),
      { numRuns: cases },
    );
  });

  it("have no drift in their own order, again and again", () => {
    const contracts = receive(Array.from({ length: 2 }, () => corpus).flat());
    expect(findChanges(contracts, everything).map(({ drift }) => describeDrift(drift))).toEqual([]);
  });

  it("whose deliveries change are named within 50 deliveries, if a field or a value changes", () => {
    const kinds = Map.groupBy(small, ({ body, event }) => eventKind(body, { "x-github-event": event }));
    const streams = [...kinds.values()];
    fc.assert(
      fc.property(
        fc.nat(streams.length - 1),
        fc.array(fc.nat(1_000), { minLength: 110, maxLength: 110 }),
        fc.nat(10_000),
        fc.constantFrom("add", "drop", "retype", "value"),
        (stream, order, choice, mutation) => {
          const deliveries = order.map((at) => pick(streams[stream] ?? [], at));
          const contracts = receive(deliveries.slice(0, 60));
          const [contract] = contracts.contracts.values();
          const path = contract && choosePath(contract, { mutation, choice });
          if (path === null || path === undefined) return;
          const mutated = deliveries
            .slice(60)
            .map(({ body, event }) => ({ body: mutate(structuredClone(body), path, mutation), event }));
          receive(mutated, { contracts, from: 60 });
          const named = findChanges(contracts, everything).filter(
            ({ drift }) => drift.change === "new_kind" || drift.path === (mutation === "add" ? `${path}/added` : path),
          );
          expect(named.map(({ drift }) => drift.change)).toContainEqual(
            expect.stringMatching(new RegExp(`^(?:new_kind|${changeOf[mutation]})$`)),
          );
          expect(named[0]?.drift.since).toBeGreaterThanOrEqual(startAt + 59 * 60_000);
        },
      ),
      { numRuns: cases },
    );
  });
});

type Mutation = "add" | "drop" | "retype" | "value";
const changeOf: Record<Mutation, string> = {
  add: "new_field",
  drop: "missing_field",
  retype: "new_type",
  value: "new_value",
};

/** A path that every body has, where the mutation makes a difference. */
function choosePath({ paths, count }: EventContract, p: { mutation: Mutation; choice: number }): string | null {
  const isAlways = (path: string): boolean =>
    paths.get(path)?.presence.count === count && !path.split("/").some((_, at, steps) => isUnnamedStep(steps, at));
  const possible = [...paths].flatMap(([path, { types, values }]) => {
    const [type, ...others] = Object.keys(types);
    if (!isAlways(path) || others.length > 0 || type === undefined) return [];
    if (p.mutation === "add") return type === "object" ? [path] : [];
    if (path === "") return [];
    if (p.mutation === "value") {
      const name = path.slice(path.lastIndexOf("/") + 1);
      const isEnum = values !== null && values.size > 0 && values.size * (isConstantName(name) ? 5 : 20) <= 60;
      return type === "string" && isEnum && !isDataName(name) ? [path] : [];
    }
    return p.mutation === "retype" && type === "null" ? [] : [path];
  });
  return possible[p.choice % Math.max(1, possible.length)] ?? null;
}

function isUnnamedStep(steps: readonly string[], at: number): boolean {
  return at > 0 && isUnnamed(steps.slice(0, at + 1).join("/"));
}

function mutate(body: Json, path: string, mutation: Mutation): Json {
  const steps = fromPointer(path);
  const parent = mutation === "add" ? valueAt(body, steps) : valueAt(body, steps.slice(0, -1));
  if (typeof parent !== "object" || parent === null || Array.isArray(parent)) return body;
  const name = steps.at(-1) ?? "";
  if (mutation === "add") parent["added"] = { nested: true };
  else if (mutation === "drop") delete parent[name];
  else if (mutation === "value") parent[name] = "mutated";
  else parent[name] = typeof parent[name] === "boolean" ? 1 : true;
  return body;
}

const issue = (fields: Record<string, Json>): Json => ({ issue: { number: 1, type: "bug", ...fields } });
const sample = (body: Json, at: number, decisions: EventSample["decisions"] = []): EventSample => ({
  body,
  seenAt: startAt + at * 60_000,
  decisions,
});

function contractOf(samples: readonly EventSample[]): EventContract {
  const contract = emptyEventContract();
  for (const each of samples) addEvent(contract, each);
  return contract;
}

const order = (state: string, more: Json): Json => ({
  lines: [{ state }, { state: "open" }],
  days: { "2026-01-31": more },
});

describe("drift", () => {
  const accepted = [{ trigger: "new-issue", isAccepted: true, reason: null }];
  const rejected = [
    {
      trigger: "new-issue",
      isAccepted: false,
      reason: { pointer: "/issue/type", expected: "a string", actual: "number" },
    },
  ];

  it("of a part of the deliveries is their share, their time and the path at which they stopped matching", () => {
    const contract = contractOf([
      ...Array.from({ length: 1_000 }, (_, at) => sample(issue({}), at, accepted)),
      ...Array.from({ length: 400 }, (_, at) =>
        at % 33 === 0 ? sample(issue({ type: 7 }), 1_000 + at, rejected) : sample(issue({}), 1_000 + at, accepted),
      ),
    ]);
    const [first] = findDrift(contract, everything);
    expect(first).toMatchObject({ change: "stopped_matching", trigger: "new-issue", deliveries: 13, of: 400 });
    expect(first?.since).toBe(startAt + 1_000 * 60_000);
    expect(first && describeDrift(first)).toBe(
      "3.3 % stopped matching new-issue, all at /issue/type: number, expected a string",
    );
  });

  /** The drift after 60 accepted bodies, then `rejects` rejected ones and `accepts` accepted ones. */
  const matching = (rejects: number, accepts: number) =>
    findDrift(
      contractOf(
        [
          ...Array.from({ length: 60 }, () => accepted),
          ...Array.from({ length: rejects }, () => rejected),
          ...Array.from({ length: accepts }, () => accepted),
        ].map((decisions, at) => sample(issue({}), at, decisions)),
      ),
      everything,
    ).map(describeDrift);

  it("does not include a trigger that accepts such bodies again, after a few of them if it rejected all", () => {
    const text = "stopped matching new-issue, all at /issue/type: number, expected a string";
    expect(matching(30, 0)).toEqual([`100 % ${text}`]);
    expect(matching(30, 2)).toEqual([`94 % ${text}`]);
    expect(matching(30, 4)).toEqual([]);
    expect(matching(30, 400)).toEqual([]);
  });

  it("does not include a trigger that never accepted such a body", () => {
    const contract = contractOf(
      Array.from({ length: 200 }, (_, at) => sample(issue({}), at, at < 100 ? [] : rejected)),
    );
    expect(findDrift(contract, everything)).toEqual([]);
  });

  it("is of the outermost object only, if it is dropped, added or retyped", () => {
    const before = Array.from({ length: 60 }, (_, at) => sample({ a: { b: { c: 1 } } }, at));
    const drift = (body: Json) =>
      findDrift(
        contractOf([...before, ...Array.from({ length: 50 }, (_, at) => sample(body, 60 + at))]),
        everything,
      ).map(describeDrift);
    expect(drift({})).toEqual(["/a is missing, in all of 50 deliveries"]);
    expect(drift({ a: { b: { c: 1 } }, d: { e: { f: 1 } } })).toEqual(["/d is new (object), in all of 50 deliveries"]);
    expect(drift({ a: "text" })).toEqual(["/a: string, before object, in all of 50 deliveries"]);
  });

  it("names paths in lists and under keys that are data, and values of enums", () => {
    const contract = contractOf([
      ...Array.from({ length: 60 }, (_, at) => sample(order(at % 2 ? "open" : "closed", { n: 1 }), at)),
      ...Array.from({ length: 50 }, (_, at) => sample(order("gone", { n: "1" }), 60 + at)),
    ]);
    expect(findDrift(contract, everything).map(describeDrift)).toEqual([
      "/days/*/n: string, before number, in all of 50 deliveries",
      '/lines/*/state has the new value "gone", in all of 50 deliveries',
    ]);
  });

  it("ends when a missing field returns, and is not listed before the period", () => {
    const missing = [
      ...Array.from({ length: 60 }, (_, at) => sample(issue({}), at)),
      ...Array.from({ length: 50 }, (_, at) => sample({}, 60 + at)),
    ];
    expect(findDrift(contractOf(missing), everything)).toHaveLength(1);
    expect(findDrift(contractOf(missing), { since: startAt + 61 * 60_000 })).toEqual([]);
    expect(findDrift(contractOf([...missing, sample(issue({}), 111)]), everything)).toEqual([]);
  });

  it("is the same after the contracts were stored, and they stay small however much the bodies vary", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 3 }), { minLength: 1, maxLength: 60 }), (bodies) => {
        const received = bodies.map((body) => ({ body: JSON.parse(JSON.stringify(body)) as Json, event: "any" }));
        const contracts = receive(received);
        const { content, kinds } = writeContracts(contracts, contracts.contracts.keys());
        const again = readStoredContracts({
          endpoint: content,
          kinds: new Map(kinds.map(({ kind, content: text }) => [kind, text])),
        });
        expect(again).toEqual(contracts);
      }),
    );
    const contract = contractOf(
      Array.from({ length: 1_500 }, (_, at) =>
        sample({ [`field${"abcdefghij"[at % 10]}${at}`]: `v${at}`, kept: 1 }, at),
      ),
    );
    expect(contract.paths.size).toBeLessThanOrEqual(1_000);
    expect(contract.paths.get("/kept")?.presence.count).toBe(1_500);
  });
});

describe("the kind of an event", () => {
  it.each<[string, Json, Record<string, string>]>([
    ["issues opened", { action: "opened" }, { "x-github-event": "issues", "user-agent": "GitHub" }],
    ["invoice.paid", { id: "evt_1", type: "invoice.paid", data: { object: { id: "in_1" } } }, {}],
    ["event_callback message", { type: "event_callback", event: { type: "message" } }, {}],
    ["orders/create", { id: 1 }, { "x-shopify-topic": "orders/create" }],
    ["", { id: 1, type: "2f4c9d1e-7b1c-4a53-9c3b-0f0f0f0f0f0f" }, {}],
    ["", null, {}],
  ])("is %j", (kind, body, headers) => {
    expect(eventKind(body, headers)).toBe(kind);
  });
});
