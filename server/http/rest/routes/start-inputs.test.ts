import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import type { Json } from "../../../contract/json.ts";
import type { AnySchema } from "../../../ports/project.ts";
import { openTestService } from "../testing/test-service.ts";

type TestService = Awaited<ReturnType<typeof openTestService>>;

function useSchema({ state }: TestService, schema: z.ZodType | z3.ZodTypeAny): void {
  const input = schema as unknown as AnySchema;
  state.code = { workflow: async (slug) => ({ slug, input, output: null, run() {} }) };
}

/**
 * With an input that Zod accepts, and one that it rejects. Each export rejects the first one, or cannot express the
 * schema.
 */
const examples: [string, z.ZodType | z3.ZodTypeAny, Json, Json][] = [
  [
    "a pipe to lower case, beside an exact literal",
    z.object({
      unit: z.literal("KG"),
      currency: z
        .string()
        .toLowerCase()
        .pipe(z.enum(["eur"])),
    }),
    { unit: "KG", currency: "EUR" },
    { unit: "kg", currency: "EUR" },
  ],
  ["a record of an enum, with a key that is missing", z.record(z.enum(["a", "b"]), z.any()), { a: 1 }, { c: 1 }],
  ["a regular expression without the flag u, on an emoji", z.string().regex(/^..$/), "👍", "👍👍"],
  ["the CIDR of Zod 3", z3.string().cidr(), "2001:db8::/32", "2001:db8::"],
  ["the literal null of Zod 3", z3.object({ a: z3.literal(null) }), { a: null }, { a: "null" }],
  [
    "an object that is piped into a strict one",
    z.object({ a: z.string() }).pipe(z.strictObject({ a: z.string() })),
    { a: "x", more: 1 },
    { more: 1 },
  ],
];

const start = ({ post }: TestService, input: Json) => post("/api/v1/workflows/notify/runs", input);

describe("the input of a workflow", () => {
  it.each(examples)("is accepted if Zod accepts it: %s", async (_, schema, good, bad) => {
    const service = await openTestService();
    useSchema(service, schema);
    expect((await start(service, good)).status).toBe(202);
    expect((await start(service, bad)).status).toBe(422);
  });

  it("gets the paths and messages that a sender of the same body gets", async () => {
    const service = await openTestService();
    const schema = z.object({ to: z.email(), tags: z.array(z.enum(["a", "b"])), unit: z.literal("KG") });
    useSchema(service, schema);
    const { status, json } = await start(service, { to: "nope", tags: ["a", "c"] });
    expect({ status, json }).toMatchObject({
      status: 422,
      json: {
        code: "invalid_input",
        errors: [
          { pointer: "/to", code: "invalid_format", message: "Invalid email address" },
          { pointer: "/tags/1", code: "invalid_value" },
          { pointer: "/unit", code: "invalid_value" },
        ],
      },
    });
  });

  it("names 20 issues at most", async () => {
    const service = await openTestService();
    useSchema(service, z.array(z.string()));
    const { json } = await start(
      service,
      Array.from({ length: 10_000 }, () => 1),
    );
    expect(z.object({ errors: z.array(z.unknown()) }).parse(json).errors).toHaveLength(20);
  });

  it("of a schema that throws is rejected with its error", async () => {
    const service = await openTestService();
    useSchema(
      service,
      z.string().refine(() => {
        throw new Error("no table of names");
      }),
    );
    expect((await start(service, "a")).json).toMatchObject({
      errors: [{ code: "schema_error", message: "The schema threw an error: no table of names" }],
    });
  });

  it("that cannot be checked here starts its run: the worker decides", async () => {
    const service = await openTestService();
    service.state.code = { workflow: async () => null };
    expect((await start(service, { any: 1 })).status).toBe(202);
  });

  it("is checked by Zod when a run without a payload is replayed, also with an edited input and in bulk", async () => {
    const service = await openTestService();
    useSchema(service, z.object({ name: z.string().regex(/^..$/) }));
    const { json } = await start(service, { name: "👍" });
    const { runId } = z.object({ runId: z.string() }).parse(json);
    const replay = (input: Json) => service.post(`/api/v1/runs/${runId}/replay`, { input });
    expect((await service.post(`/api/v1/runs/${runId}/replay`)).status).toBe(202);
    expect((await replay({ name: "🎉" })).status).toBe(202);
    expect((await replay({ name: "abc" })).status).toBe(422);
  });
});
