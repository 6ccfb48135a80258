import * as fc from "fast-check";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import type { Json } from "../../contract/json.ts";
import type { BodyFormat, Methods } from "../../contract/project/endpoint.ts";
import { fromPointer, valueAt } from "../../shared/json/json-pointer.ts";
import { type InferredTrigger, inferTrigger, type Sample } from "./infer-trigger.ts";
import { loadSchemas } from "./testing/load-request.ts";

const seenAt = Date.parse("2026-11-21T10:00:00Z");

const toSamples = (bodies: readonly Json[], headers: Record<string, string> = {}): Sample[] =>
  bodies.map((body) => ({ body, headers, seenAt }));

async function infer(samples: readonly Sample[], only?: string): Promise<InferredTrigger> {
  const { trigger } = await inferTrigger(() => samples, { endpoint: "shop", only });
  if (!trigger) throw new Error("nothing was inferred");
  return trigger;
}

const requestOf = async (bodies: readonly Json[]) => loadSchemas(await infer(toSamples(bodies))).request;
const times = (count: number, body: Json) => Array.from({ length: count }, () => body);

const contact = (email: string) => ({
  email,
  at: "2026-01-31T12:00:00Z",
  day: "2026-01-31",
  url: "https://a.example/x",
});
const order = (status: string) => ({ status, customer: status, total: 1 });

describe("the inferred schema", () => {
  it("accepts every payload that it was inferred from", async () => {
    const name = fc.oneof(
      fc.constantFrom("type", "id", "user", "created_at", "a b", 'quote"d', "*/", "constructor", "2026-01-31"),
      fc.string({ maxLength: 8 }),
    );
    const object = fc.dictionary(
      name.filter((one) => one !== "__proto__"),
      fc.jsonValue({ maxDepth: 3 }),
      { maxKeys: 6 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(object, { minLength: 1, maxLength: 12 }), async (bodies) => {
        // As received: JSON has no negative zero.
        const received = bodies.map((body) => JSON.parse(JSON.stringify(body)) as Json);
        const request = await requestOf(received);
        for (const body of received) {
          const parsed = request.safeParse(body);
          expect(parsed.error?.issues ?? []).toEqual([]);
        }
      }),
    );
  });

  it("is optional where a field was absent, nullable where it was null, with the evidence of both", async () => {
    const { trigger } = await infer(
      toSamples([
        ...times(6, { id: 1, note: "Hello, Ada", parent: null }),
        ...times(2, { id: 2, note: null, parent: { id: 1 } }),
        { id: 3, parent: null },
      ]),
    );
    expect(trigger.code).toBe(`import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import handleShop from "../workflows/handle-shop";

/** Inferred from 9 payloads of 2026-11-21. */
export default defineWebhookSource({
  slug: "shop",
  endpoint: "shop",
  request: z.object({
    id: z.int(), // in 9 of 9
    note: z.string().nullable().optional(), // in 8 of 9, null in 2
    parent: z.object({ // in 9 of 9, null in 7
      id: z.number(), // in 2 of 2
    }).nullable(),
  }),
}).attach({ workflow: handleShop });
`);
  });

  it("has a format only if enough strings have it, and all of them", async () => {
    const few = (await infer(toSamples(times(4, contact("ada@example.com"))))).trigger.code;
    expect(few.match(/z\.string\(\)/g)).toHaveLength(4);
    const { code } = (await infer(toSamples([...times(4, contact("ada@example.com")), contact("none")]))).trigger;
    expect(code).toContain("email: z.string(),");
    expect(code).toContain("at: z.iso.datetime({ offset: true }),");
    expect(code).toContain("day: z.iso.date(),");
    expect(code).toContain("url: z.url(),");
  });

  it("has an enum only if each constant was seen often, and never of names or ids", async () => {
    const often = [...times(30, order("open")), ...times(10, order("closed"))];
    const { code } = (await infer(toSamples(often))).trigger;
    expect(code).toContain('status: z.enum(["closed", "open"]),');
    expect(code).toContain("customer: z.string(),");
    expect((await infer(toSamples([...often, order("lost")]))).trigger.code).toContain("status: z.string(),");
  });

  it("has no redacted value, in no form and however often it was seen", async () => {
    const key = "sbk_0123456789abcdefghijklmnopqrstuvwxyz";
    const body = (n: number): Json => ({
      type: n % 2 === 0 ? key : "[redacted]",
      status: "[redacted]",
      action: key,
      [key]: "open",
      state: { [key]: { "[redacted]": 1 } },
    });
    const samples = Array.from({ length: 200 }, (_, n) => ({ body: body(n), headers: { "x-event": key }, seenAt }));
    const { trigger, workflow } = await infer(samples);
    expect(trigger.code + workflow.code).not.toMatch(/sbk_|redacted/);
  });

  it("has names and constants as string literals that end nothing", async () => {
    const hostile = ["*/ }); process.exit(1); //", "`${1}`", '"\\', "\u2028", "a\nb", "</script>", "__proto__"];
    const body = JSON.parse(
      `{${hostile.map((name) => `${JSON.stringify(name)}: {"type": "x"}`).join(",")}, "type": "order paid"}`,
    ) as Json;
    const request = await requestOf(times(60, body));
    expect(request.safeParse(body).success).toBe(true);
    expect(request.safeParse({}).success).toBe(false);
  });
});

const fromGitHub = (event: string, body: Json): Sample => ({
  body,
  headers: { "x-github-event": event, "x-github-delivery": "1f2e", "user-agent": "GitHub-Hookshot" },
  seenAt,
});

const withQueries = (...queries: Record<string, string | string[]>[]): Sample[] =>
  queries.map((query) => ({ body: { id: 1 }, headers: {}, query, seenAt }));
const codeOf = async (samples: readonly Sample[]) => (await infer(samples)).trigger.code;

describe("the query", () => {
  it("whose parameters are in every URL is suggested in a comment, which is no condition", async () => {
    const samples = withQueries({ topic: "refunds", to: ["a", "b"] }, { topic: "returns", to: ["a"] });
    const code = await codeOf(samples);
    expect(code).toContain(`  endpoint: "shop",
  // Every URL has these parameters. Uncomment them for a condition:
  // query: z.object({
  //   topic: z.string(), // in 2 of 2
  //   to: z.array(z.string()), // in 2 of 2
  // }),
  request: z.object({
`);
    expect(loadSchemas({ trigger: { slug: "", file: "", code } })).not.toHaveProperty("query");
  });

  it("is a valid option without the comment, for any parameters", async () => {
    const query = fc.dictionary(
      fc.string({ unit: "binary", minLength: 1, maxLength: 8 }).filter((name) => name !== "__proto__"),
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.constantFrom("*/", "\u2028", "\n", '"'),
        fc.array(fc.string(), { minLength: 2 }),
      ),
      { minKeys: 1, maxKeys: 4 },
    );
    await fc.assert(
      fc.asyncProperty(query, async (one) => {
        const code = await codeOf(withQueries(one, one));
        const lines = code.split("\n").flatMap((line) => (line.startsWith("  // ") ? [line.slice(5)] : []));
        if (lines.length === 0) return;
        expect(lines[0]).toContain("Uncomment");
        const uncommented = code.replaceAll(/^ {2}\/\/ (?!Every)/gm, "  ");
        const { query: schema } = loadSchemas({ trigger: { slug: "", file: "", code: uncommented } });
        expect(schema?.safeParse(one).error?.issues ?? []).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it("is not suggested if a URL lacks a parameter, if there is none, and for a GET", async () => {
    for (const samples of [
      withQueries({ a: "1" }, { a: "1", b: "2" }),
      withQueries({ a: "1" }, {}),
      withQueries({}, {}),
      toSamples([{ id: 1 }]),
    ])
      expect(await codeOf(samples)).not.toContain("query");
    const { trigger } = await inferTrigger(() => withQueries({ a: "1" }), {
      endpoint: "shop",
      methods: ["POST", "GET"],
    });
    expect(trigger?.trigger.code).not.toContain("query");
  });
});

describe("methods", () => {
  const form = { type: "form", field: null, bigints: "number" } as const;
  const json = { type: "json", bigints: "number" } as const;
  it.each<[methods: Methods | undefined, formats: BodyFormat[], lines: string[]]>([
    [undefined, [json], []],
    [["POST"], [form], ['body: "form",']],
    [["GET"], [form], ['methods: ["GET"],']],
    [["POST", "GET"], [json, form], ['methods: ["POST", "GET"],']],
    [["POST", "GET"], [form], ['methods: ["POST", "GET"],', 'body: "form",']],
  ])("%j with %j are those of the endpoint", async (methods, formats, lines) => {
    const { trigger } = await inferTrigger(() => toSamples([{ id: "1" }]), { endpoint: "shop", methods, formats });
    const { code = "" } = trigger?.trigger ?? {};
    expect(code.match(/^ {2}(?:methods|body): .*$/gm)?.map((line) => line.trim()) ?? []).toEqual(lines);
  });
});

describe("kinds", () => {
  const paid = { type: "order.paid", order: { id: "a", total: 5 }, paid_at: "2026-01-31T12:00:00Z" };
  const shipped = { type: "order.shipped", order: { id: "a", total: 5 }, parcel: { carrier: "DHL" } };
  const refunded = { type: "order.refunded", order: { id: "a", total: 5 }, reason: null };
  const all = toSamples([...times(7, paid), ...times(6, shipped), ...times(5, refunded)]);

  it("that a field names are a discriminated union", async () => {
    const found = await infer(all);
    expect(found.discriminator).toEqual({
      at: { path: "/type" },
      values: new Map([
        ["order.paid", 7],
        ["order.shipped", 6],
        ["order.refunded", 5],
      ]),
    });
    expect(found.trigger.code).toContain('z.discriminatedUnion("type", [orderPaid, orderShipped, orderRefunded])');
    const { request } = loadSchemas(found);
    for (const { body } of all) expect(request.safeParse(body).data).toEqual(body);
    expect(request.safeParse({ ...paid, type: "order.shipped" }).success).toBe(false);
    expect(request.safeParse({ ...paid, type: "order.lost" }).success).toBe(false);
  });

  it("of which few payloads are known may lack what other kinds lack", async () => {
    const { trigger } = await infer(
      [...all, ...toSamples([{ type: "order.lost", order: null, reason: "Theft, at night" }])],
      "order.lost",
    );
    expect(trigger.code).toContain('type: z.literal("order.lost"), // in 1 of 1\n');
    expect(trigger.code).toContain(
      "reason: z.string().nullable().optional(), // in 1 of 1, null in other kinds, absent in other kinds",
    );
  });

  it("that a nested field names are a union", async () => {
    const nested = all.map(({ body, ...rest }) => ({
      ...rest,
      body: { type: "event_callback", event: body },
    }));
    const found = await infer(nested);
    expect(found.discriminator?.at).toEqual({ path: "/event/type" });
    const { request } = loadSchemas(found);
    for (const { body } of nested) expect(request.safeParse(body).data).toEqual(body);
    expect(request.safeParse({ type: "event_callback", event: { ...paid, type: "order.shipped" } }).success).toBe(
      false,
    );
  });

  it("that a header names are a condition on that header, and a union of their schemas", async () => {
    const issue = { action: "edited", issue: { number: 1 } };
    const comment = { action: "edited", issue: { number: 1 }, comment: { id: 1 } };
    const samples = [...times(6, issue), ...times(6, comment)].map((body) =>
      fromGitHub("comment" in (body as object) ? "issue_comment" : "issues", body),
    );
    const found = await infer(samples);
    expect(found.discriminator?.at).toEqual({ header: "x-github-event" });
    expect(found.trigger.code).toContain(
      '  headers: z.object({ "x-github-event": z.enum(["issue_comment", "issues"]) }), // in 12 of 12\n',
    );
    const { request } = loadSchemas(found);
    for (const { body } of samples) expect(request.safeParse(body).data).toEqual(body);
    const one = await infer(samples, "issues");
    expect(one.trigger.code).toContain(
      '  headers: z.object({ "x-github-event": z.literal("issues") }), // in 6 of 12\n',
    );
    expect(loadSchemas(one).headers?.safeParse({ "x-github-event": "issue_comment" }).success).toBe(false);
  });

  it("can be selected: the trigger then accepts only that one", async () => {
    const found = await infer(all, "order.paid");
    expect([found.count, found.only, found.trigger.slug]).toEqual([7, "order.paid", "shop-order-paid"]);
    const { request } = loadSchemas(found);
    expect([paid, shipped].map((body) => request.safeParse(body).success)).toEqual([true, false]);
    expect(await inferTrigger(() => all, { endpoint: "shop", only: "order.lost" })).toEqual({
      trigger: null,
      count: 18,
      kinds: ["order.paid", "order.shipped", "order.refunded"],
    });
  });

  it("are not made of a field that says nothing of the shape", async () => {
    const bodies = Array.from({ length: 40 }, (_, n): Json => ({
      name: `n${"abcd"[n % 4]}`,
      ...(n % 3 === 0 ? { note: "x" } : {}),
    }));
    expect((await infer(toSamples(bodies))).discriminator).toBeNull();
  });

  it("of one value are a literal, if enough payloads have it", async () => {
    expect((await infer(toSamples(times(3, paid)))).trigger.code).toContain(
      'type: z.literal("order.paid"), // in 3 of 3',
    );
    expect((await infer(toSamples(times(2, paid)))).trigger.code).toContain("type: z.string(), // in 2 of 2");
  });

  it("of which none is there yield nothing", async () => {
    expect(await inferTrigger(() => [], { endpoint: "shop" })).toEqual({ trigger: null, count: 0, kinds: [] });
  });
});

describe("GitHub's examples", () => {
  const load = createRequire(import.meta.url);
  const versions = ["api.github.com", "ghes-31", "ghes-32", "ghes-33", "ghes-34", "ghes-35"];
  const byEvent = new Map<string, Json[]>();
  for (const version of versions)
    for (const { name, examples } of load(`@octokit/webhooks-examples/${version}/index.json`) as {
      name: string;
      examples: Json[];
    }[])
      byEvent.set(name, [...(byEvent.get(name) ?? []), ...examples]);
  const events = [...byEvent].filter(([, bodies]) => bodies.length >= 10);

  it.each([0, 1, 2, 3, 4])(
    "fold %i: a schema from 80 % accepts at least 95 % of the others of known kinds, and all when it has seen them",
    async (fold) => {
      let accepted = 0;
      let rejected = 0;
      for (const [event, bodies] of events) {
        const isOut = (_: Json, at: number) => at % 5 === fold;
        const known = bodies.filter((body, at) => !isOut(body, at));
        const found = await infer(toSamples(known));
        const others = bodies.filter(isOut).filter((body) => isKnownKind(found, body));
        const { request } = loadSchemas(found);
        const surprising = others.filter((body) => !request.safeParse(body).success);
        accepted += others.length - surprising.length;
        rejected += surprising.length;
        const wider = await requestOf([...known, ...surprising]);
        for (const body of others) expect(wider.safeParse(body).error?.issues ?? [], event).toEqual([]);
      }
      expect(accepted / (accepted + rejected)).toBeGreaterThanOrEqual(0.95);
    },
  );

  it("of every kind with a field of another type, at any depth, are rejected", async () => {
    for (const [event, bodies] of events) {
      const request = await requestOf(bodies);
      const all = bodies.slice(0, 5).flatMap((body) => mutantsOf(body));
      // All fields of the top level, and of the others as many as take a moment.
      const step = Math.ceil(all.length / 40);
      const mutants = all.filter(({ field }, at) => field.lastIndexOf("/") === 0 || at % step === 0);
      expect(mutants.length, event).toBeGreaterThan(0);
      for (const { mutant, field } of mutants)
        expect(request.safeParse(mutant).success, `${event}: ${field}`).toBe(false);
    }
  });
});

/** Whether the schema has a variant for a payload. */
it.for([
  ["a sender that disables endpoints", { "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)" }, true],
  ["any other sender", { "user-agent": "GitHub-Hookshot/0123456" }, false],
] as const)('writes onMismatch: "skip" for %s: %j', async ([, headers, isSkipped]) => {
  const { trigger } = await infer(toSamples(times(3, order("paid")), headers));
  expect(trigger.code.includes('onMismatch: "skip",')).toBe(isSkipped);
});

function isKnownKind({ discriminator }: InferredTrigger, body: Json): boolean {
  if (!discriminator || !("path" in discriminator.at)) return true;
  return discriminator.values.has(String(valueAt(body, fromPointer(discriminator.at.path))));
}

/**
 * The payload with each of its fields replaced by a value of another type, one at a time, at any depth outside of
 * lists.
 */
function mutantsOf(body: Json, at = ""): { mutant: Json; field: string }[] {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
  return Object.entries(body).flatMap(([name, value]) => {
    if (value === null) return [];
    const field = `${at}/${name}`;
    const below = mutantsOf(value, field).map(({ mutant, field: path }) => ({
      mutant: { ...body, [name]: mutant },
      field: path,
    }));
    return [{ mutant: { ...body, [name]: wrongFor(value) }, field }, ...below];
  });
}

function wrongFor(value: Json): Json {
  return typeof value === "object" ? 7.5 : [[{}]];
}
