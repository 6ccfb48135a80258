import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Json, jsonSchema } from "../contract/json.ts";
import { explainIssues, toProblemErrors } from "../matching/explain/explain.ts";
import { checkInput } from "./check-input.ts";

const exported = (schema: z.ZodType) => z.record(z.string(), jsonSchema).parse(z.toJSONSchema(schema, { io: "input" }));

const signup = z.object({
  to: z.email(),
  name: z.string().trim().toLowerCase().min(1).max(5),
  age: z.int().min(0).optional(),
  site: z.url().optional(),
  tags: z.array(z.enum(["a", "b"])).default([]),
});

describe("the early check of an input", () => {
  it("names each invalid path as a JSON Pointer", () => {
    const errors = checkInput(exported(signup), { to: "nope", tags: ["a", "c"], age: -1 });
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual(["/age", "/name", "/tags/1", "/to"]);
    expect(errors.find(({ pointer }) => pointer === "/name")).toEqual({
      pointer: "/name",
      code: "invalid_type",
      message: "Invalid input: expected string, received undefined",
    });
  });

  it("words a mistake as the receiver of webhooks does", () => {
    const schema = z.object({
      name: z.string().min(1),
      email: z.email(),
      count: z.int().max(5),
      kind: z.enum(["a", "b"]),
      shape: z.discriminatedUnion("type", [
        z.object({ type: z.literal("x"), v: z.string() }),
        z.object({ type: z.literal("y"), w: z.number() }),
      ]),
      note: z.string().nullable(),
      code: z.string().regex(/^[a-z]+$/),
      at: z.iso.datetime(),
      one: z.strictObject({ a: z.string() }),
      tags: z.array(z.string()).min(1),
      missing: z.boolean(),
    });
    const input = {
      name: "",
      email: "ada",
      count: 9,
      kind: "c",
      shape: { type: "y", w: "1" },
      note: 5,
      code: "A1",
      at: "now",
      one: { a: "x", b: 1 },
      tags: [],
    };
    const said = schema.safeParse(input).error?.issues ?? [];
    expect(said).toHaveLength(11);
    expect(checkInput(exported(schema), input)).toEqual(toProblemErrors(explainIssues(said as never, input)));
  });

  it("reports nothing for a valid input", () => {
    expect(checkInput(exported(signup), { to: "a@b.example", name: "ann" })).toEqual([]);
  });

  it("never rejects an input that the workflow's own schema accepts", () => {
    const text = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom("  Ann ", "ANN", "a@b.example", "https://exämple.example/ä b"),
    );
    const input = fc.record(
      {
        to: fc.oneof(fc.constant("a@b.example"), fc.emailAddress(), text),
        name: fc.oneof(fc.constantFrom("  Ann ", "ANN", "b"), text),
        age: fc.nat(),
        site: fc.oneof(fc.webUrl(), text),
        tags: fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }),
      },
      { requiredKeys: ["to", "name"] },
    );
    let taken = 0;
    fc.assert(
      fc.property(input, (value) => {
        const json: Json = JSON.parse(JSON.stringify(value));
        if (!signup.safeParse(json).success) return;
        taken += 1;
        expect(checkInput(exported(signup), json)).toEqual([]);
      }),
      { numRuns: 500 },
    );
    expect(taken).toBeGreaterThan(20);
  });

  it("lets through what it cannot check: a pattern that only lax regular expressions take", () => {
    expect(checkInput({ type: "string", pattern: "\\_" }, "x")).toEqual([]);
  });

  it("lets through keys that are half a surrogate pair, in the input and in the schema", () => {
    const half: Json = JSON.parse(String.raw`{ "\ud800": 1 }`);
    expect(checkInput({ type: "object", additionalProperties: { type: "string" } }, half)).toEqual([]);
    expect(checkInput({ type: "object", properties: { "\ud800": { type: "string" } } }, half)).toEqual([]);
  });

  it("follows references through keys of any characters, and names such paths", () => {
    for (const key of ["a#?&+$,;=:@b", "a/b~c%41é", 'a"\n b']) {
      const step = encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
      const schema = {
        type: "object",
        properties: {
          [key]: { type: "object", properties: { next: { $ref: `#/properties/${step}` } }, required: [key] },
        },
      };
      const errors = checkInput(schema, { [key]: { next: { [key]: 1 }, [key]: 1 } });
      expect(errors).toEqual([]);
      const [missing] = checkInput(schema, { [key]: { next: {}, [key]: 1 } });
      const place = key.replaceAll("~", "~0").replaceAll("/", "~1");
      expect(missing).toEqual({ pointer: `/${place}/next/${place}`, code: "required", message: "Required" });
    }
  });

  it("names twenty errors at most", () => {
    expect(
      checkInput(
        { type: "array", items: { type: "string" } },
        Array.from({ length: 100 }, () => 1),
      ),
    ).toHaveLength(20);
  });

  it("takes properties that are called like keywords for properties", () => {
    expect(checkInput({ type: "object", properties: { format: { type: "string" } } }, { format: 1 })).toHaveLength(1);
    expect(
      checkInput({ type: "object", properties: { default: { type: "string", format: "email" } } }, { default: "me" }),
    ).toEqual([]);
  });
});
