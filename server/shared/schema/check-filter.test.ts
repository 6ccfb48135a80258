import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { exportSchema } from "../../../cli/build/schema/export.ts";
import type { Json } from "../../contract/json.ts";
import { findFilterFaults } from "./check-filter.ts";
import { exampleBody } from "./example-body.ts";
import { parseBody } from "../../matching/match-triggers.ts";
import { toSchema, versions } from "../../matching/testing/build-shape.ts";
import { bodiesNear, shapes } from "../../matching/testing/shapes.ts";
import { zod3Schema, zod4Schema } from "./testing/arbitrary-zod.ts";

type AnyZod = z.ZodType | z3.ZodTypeAny;

const faultsOf = (request: AnyZod, filter: AnyZod) => findFilterFaults(exportSchema(request), exportSchema(filter));

const paid = z.object({ type: z.literal("paid"), amount: z.int().min(0).max(100) });
const created = z.object({ type: z.literal("created"), customer: z.object({ email: z.email() }).nullable() });
const event = z.discriminatedUnion("type", [paid, created]);
const issue = z.object({
  issue: z.object({ state: z.enum(["open", "closed"]), labels: z.array(z.object({ id: z.int() })) }),
});

describe("a filter", () => {
  it.each<[string, AnyZod, AnyZod]>([
    ["a field and a value of the request", event, z.object({ type: z.literal("paid") })],
    ["a part of the values", event, z.object({ type: z.enum(["paid", "created"]) })],
    ["a tighter bound", event, z.object({ amount: z.number().min(99.5) })],
    ["a field of the member that it selects", event, z.object({ type: z.literal("paid"), amount: z.int() })],
    ["a value in an object that can be null", event, z.object({ customer: z.object({ email: z.string() }) })],
    ["null", event, z.object({ customer: z.null() })],
    ["an item of a list", issue, z.object({ issue: z.object({ labels: z.array(z.object({ id: z.literal(7) })) }) })],
    ["a list that it does not describe", issue, z.object({ issue: z.object({ labels: z.array(z.unknown()).min(1) }) })],
    ["a field that must be absent", paid, z.object({ deleted: z.never().optional() })],
    ["any field, if the request keeps others", z.looseObject({ id: z.string() }), z.object({ any: z.literal(1) })],
    ["any field, if the request of Zod 3 keeps others", z3.object({}).passthrough(), z.object({ any: z.literal(1) })],
    ["any key of a record", z.record(z.string(), z.int()), z.object({ any: z.literal(1) })],
    ["anything, if the request accepts anything", z.json(), z.object({ any: z.literal(1) })],
    ["a default", z.object({ plan: z.string().default("free") }), z.object({ plan: z.literal("pro") })],
    ["the string before a change", z.object({ a: z.string().trim().max(1) }), z.object({ a: z.literal(" a ") })],
    [
      "a part of an intersection",
      z.intersection(paid, issue),
      z.object({ issue: z.object({ state: z.literal("open") }) }),
    ],
  ])("can require %s", (_, request, filter) => {
    expect(faultsOf(request, filter)).toEqual([]);
  });

  it.each<[string, AnyZod, AnyZod, object[]]>([
    [
      "a field that the request does not have",
      issue,
      z.object({ issue: z.object({ stat: z.literal("open") }) }),
      [{ path: ["issue", "stat"], kind: "unknown-field", nearest: "state" }],
    ],
    [
      "an optional field that the request does not have",
      paid,
      z.object({ total: z.int().optional() }),
      [{ path: ["total"], kind: "unknown-field", nearest: null }],
    ],
    [
      "a field of a member that it excludes",
      event,
      z.object({ type: z.literal("paid"), customer: z.object({}) }),
      [{ path: ["customer"], kind: "unknown-field", nearest: null }],
    ],
    [
      "a field of items that do not have it",
      issue,
      z.object({ issue: z.object({ labels: z.array(z.object({ ids: z.int() })) }) }),
      [{ path: ["issue", "labels", "[]", "ids"], kind: "unknown-field", nearest: "id" }],
    ],
    [
      "a value that no body has",
      event,
      z.object({ type: z.literal("piad") }),
      [{ path: ["type"], kind: "impossible-value", value: "piad" }],
    ],
    [
      "one value of several that no body has",
      issue,
      z.object({ issue: z.object({ state: z.enum(["open", "opne"]) }) }),
      [{ path: ["issue", "state"], kind: "impossible-value", value: "opne" }],
    ],
    [
      "a member of a union that no body matches",
      event,
      z.union([z.object({ type: z.literal("paid") }), z.object({ type: z.literal("gone") })]),
      [{ path: ["type"], kind: "impossible-value", value: "gone" }],
    ],
    [
      "a value beyond the bounds",
      paid,
      z.object({ amount: z.literal(101) }),
      [{ path: ["amount"], kind: "impossible-value", value: 101 }],
    ],
    [
      "a string that is too long",
      z.object({ code: z.string().length(2) }),
      z.object({ code: z.literal("abc") }),
      [{ path: ["code"], kind: "impossible-value", value: "abc" }],
    ],
    [
      "a number beyond the bounds",
      paid,
      z.object({ amount: z.number().gt(100) }),
      [{ path: ["amount"], kind: "contradiction" }],
    ],
    [
      "another type",
      z3.object({ id: z3.string() }),
      z3.object({ id: z3.number() }),
      [{ path: ["id"], kind: "contradiction" }],
    ],
    ["another type of body", paid, z.array(z.string()), [{ path: [], kind: "contradiction" }]],
    [
      "null, of a field that is never null",
      paid,
      z.object({ amount: z.null() }),
      [{ path: ["amount"], kind: "contradiction" }],
    ],
  ])("cannot require %s", (_, request, filter, faults) => {
    expect(faultsOf(request, filter)).toEqual(faults);
  });

  it("that repeats the request has no fault, for every schema of both versions of Zod", () => {
    fc.assert(
      fc.property(fc.oneof(zod4Schema, zod3Schema), (schema) => void expect(faultsOf(schema, schema)).toEqual([])),
      { numRuns: 50 },
    );
  });

  it("that a body of the request matches can be met, for every schema", () => {
    fc.assert(
      fc.property(fc.oneof(zod4Schema, zod3Schema), (schema) => {
        const body = exampleBody(exportSchema(schema), null);
        if (!schema.safeParse(body).success) return;
        const impossible = faultsOf(schema, requiring(body)).filter(({ kind }) => kind !== "unknown-field");
        expect(impossible).toEqual([]);
      }),
    );
  });

  it("that a body of the request matches can be met, with every schema of every version and every change of strings", () => {
    let compared = 0;
    fc.assert(
      fc.property(
        shapes.chain((shape) => fc.tuple(fc.constant(shape), versions, bodiesNear(shape))),
        ([shape, version, body]) => {
          const schema = toSchema({ shape, version });
          if (!parseBody(schema, body).success) return;
          compared++;
          for (const filter of [requiring(body), requiring(body, sameButForCase)]) {
            expect(filter.safeParse(body).success).toBe(true);
            const faults = findFilterFaults(exportSchema(schema), exportSchema(filter));
            expect(faults.filter(({ kind }) => kind !== "unknown-field")).toEqual([]);
          }
        },
      ),
      { numRuns: 500 },
    );
    expect(compared).toBeGreaterThan(60);
  });
});

const sameButForCase = (text: string) => z.string().toLowerCase().pipe(z.literal(text.toLowerCase()));

/** The schema of bodies that have all strings, numbers and booleans of a body at the same paths. */
function requiring(body: Json, ofString: (text: string) => z.ZodType = (text) => z.literal(text)): z.ZodType {
  if (Array.isArray(body)) return z.array(z.unknown());
  if (typeof body === "string") return ofString(body);
  if (typeof body !== "object" || body === null) return z.literal(body);
  return z.object(
    Object.fromEntries(
      Object.entries(body)
        .filter(([name]) => name !== "__proto__")
        .map(([name, value]) => [name, requiring(value, ofString)]),
    ),
  );
}
