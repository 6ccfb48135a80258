import { createHmac } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { hmac } from "../../../../sdk/verify/index.ts";
import { readQuery } from "../../../domain/deliveries/query-values.ts";
import { triggerOf } from "../../../ingest/testing/project.ts";
import { serve } from "../../testing/serve.ts";

const form = [{ type: "form", field: null, bigints: "number" }] as const;
const request = z.looseObject({ id: z.string() });
const key = "sbk_0123456789abcdefghijklmnopqrstuvw012345";

const onGet = (more: Partial<Parameters<typeof triggerOf>[0]> = {}) =>
  triggerOf({ slug: "sms", request, body: form, methods: ["GET"], ...more });

async function get(url: string, query: string, init: RequestInit = {}) {
  const response = await fetch(`${url}/triggers/sms${query}`, init);
  return { status: response.status, text: await response.text(), allow: response.headers.get("allow") };
}

describe("an endpoint that accepts GET", () => {
  test("reads the query as a form, without keys, and starts a run", async () => {
    const { url, store } = await serve({ triggers: [onGet()] });
    expect((await get(url, `?token=${key}&id=7&to=a%20b&to=c+d&empty=&api_key=x&%74oken=y`)).status).toBe(202);
    expect(store.runs).toMatchObject([{ payload: { id: "7", to: ["a b", "c d"], empty: "" } }]);
    expect(store.deliveries).toMatchObject([
      { method: "GET", headers: { "content-type": "application/x-www-form-urlencoded" } },
    ]);
    expect(JSON.stringify(store.deliveries)).not.toContain(key);
    expect(Buffer.from(store.deliveries[0]?.body ?? "").toString()).toBe("empty=&id=7&to=a%20b&to=c+d");
  });

  test("rejects a query that does not match, and other methods with the methods that it has", async () => {
    const { url, store } = await serve({ triggers: [onGet()] });
    expect((await get(url, "?to=1")).status).toBe(422);
    for (const method of ["POST", "HEAD", "PUT", "OPTIONS"])
      expect(await get(url, "?id=7", { method })).toMatchObject({ status: 405, allow: "GET" });
    expect(store.runs).toEqual([]);
  });

  test("can accept POST as well", async () => {
    const body = [{ type: "json", bigints: "number" } as const, ...form];
    const { url, store } = await serve({ triggers: [onGet({ methods: ["POST", "GET"], body })] });
    expect((await get(url, "?id=7")).status).toBe(202);
    const headers = { "content-type": "application/json" };
    expect((await get(url, "", { method: "POST", headers, body: '{"id":"7"}' })).status).toBe(202);
    expect(store.runs).toHaveLength(2);
    expect((await get(url, "", { method: "PATCH" })).allow).toBe("POST, GET");
  });

  test("recognises a repeat, in any order of the parameters", async () => {
    const dedupe = { header: null, field: "/id", windowMs: 60_000 };
    const { url, store } = await serve({ triggers: [onGet({ dedupe })] });
    expect((await get(url, "?id=7&a=1")).status).toBe(202);
    expect((await get(url, "?a=1&id=7")).status).toBe(202);
    const bodies = store.deliveries.map(({ bodySha256 }) => bodySha256);
    expect(new Set(bodies).size).toBe(1);
    expect(store.runs).toHaveLength(1);
  });

  test("checks a signature over the URL, with an empty body", async () => {
    const secret = "the secret of an endpoint";
    const verify = hmac({ secret, header: "x-signature", signedContent: "{method} {url} {body}" });
    const { url, store } = await serve({ triggers: [onGet({ verify })], baseUrl: "https://hooks.example.com" });
    const sign = (text: string) => ({ "x-signature": createHmac("sha256", secret).update(text).digest("hex") });
    const headers = sign("GET https://hooks.example.com/triggers/sms?id=7 ");
    expect((await get(url, "?id=7", { headers })).status).toBe(202);
    expect((await get(url, "?id=8", { headers })).status).toBe(401);
    expect(store.runs).toHaveLength(1);
  });
});

async function recordedHeaders(query: string): Promise<Record<string, string>> {
  const { url, store } = await serve({ triggers: [triggerOf({ slug: "sms", request })] });
  const headers = { "content-type": "application/json" };
  await get(url, query, { method: "POST", headers, body: '{"id":"7"}' });
  return store.deliveries[0]?.headers ?? {};
}

describe("the query of a request", () => {
  test("is recorded for transforms, without keys, credentials and signatures", async () => {
    const headers = await recordedHeaders(
      `?token=${key}&topic=orders&tag=a&tag=b&secret=hush-hush&sig=abc&X-Api-Key=k`,
    );
    expect(readQuery(headers)).toEqual({ topic: "orders", tag: ["a", "b"] });
    expect(JSON.stringify(headers)).not.toMatch(/hush-hush|abc|sbk_/);
  });

  test("is not recorded if it has only the key", async () => {
    expect(await recordedHeaders(`?token=${key}`)).not.toHaveProperty("signalbox-query");
  });

  test("never has our keys, in any notation of the parameter", async () => {
    const { url, store } = await serve({ triggers: [onGet()] });
    const name = fc.constantFrom("token", "api_key", "%74oken", "t%6Fken", "api%5Fkey");
    const pair = fc.oneof(
      name.map((one) => `${one}=${key}`),
      fc.constantFrom("id=7", "", "a", "a=b=c", "%zz=1", "?x=1"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pair, { maxLength: 6 }), fc.boolean(), async (pairs, isDoubled) => {
        await get(url, `?${isDoubled ? "?" : ""}${pairs.join("&")}`);
        const last = store.deliveries.at(-1);
        expect(Buffer.from(last?.body ?? "").toString() + JSON.stringify(last)).not.toContain(key);
      }),
      { numRuns: 60 },
    );
  });
});

async function post(query: z.ZodType, sent: string) {
  const { url, store } = await serve({ triggers: [triggerOf({ slug: "sms", request, query })] });
  const headers = { "content-type": "application/json" };
  const { status } = await get(url, sent, { method: "POST", headers, body: '{"id":"7"}' });
  const [{ outcome, reasons } = { outcome: "none", reasons: [] }] = store.deliveries[0]?.verdicts ?? [];
  return { status, outcome, pointers: reasons.map(({ pointer, actual }) => `${pointer} ${actual}`) };
}

describe("the query of a trigger", () => {
  test.each<[string, z.ZodType, string, string[] | null]>([
    ["the value", z.object({ topic: z.literal("orders") }), "?topic=orders", null],
    ["another value", z.object({ topic: z.literal("orders") }), "?topic=refunds", ['/topic "refunds"']],
    ["no query", z.object({ topic: z.literal("orders") }), "", ["/topic null"]],
    ["an empty value", z.object({ topic: z.string().min(1) }), "?topic=", ['/topic ""']],
    ["a name without a value", z.object({ topic: z.literal("") }), "?topic", null],
    ["a repeated parameter, as one text", z.object({ a: z.string() }), "?a=1&a=2", ['/a ["1", "2"]']],
    ["a repeated parameter, as a list", z.object({ a: z.array(z.string()).length(2) }), "?a=1&a=2", null],
    ["one parameter, as a list", z.object({ a: z.array(z.string()).length(1) }), "?a=1", null],
    ["a name with brackets", z.object({ "a[]": z.array(z.string()).length(2) }), "?a[]=1&a%5B%5D=2", null],
    ["a plus and an escaped plus", z.object({ a: z.literal("b c+d") }), "?a=b+c%2Bd", null],
    ["an escaped name", z.object({ "a b": z.literal("é") }), "?a%20b=%C3%A9", null],
    ["bytes that are not UTF-8, as sent", z.object({ a: z.literal("%FF+1") }), "?a=%FF+1", null],
    ["an unfinished escape, as sent", z.object({ a: z.literal("100%") }), "?a=100%", null],
    ["a value with = and ?", z.object({ a: z.literal("b=c?d") }), "?a=b=c?d", null],
    ["our key, which is not visible", z.object({ topic: z.literal("a") }).optional(), `?token=${key}&topic=a`, null],
    ["a name of the prototype", z.object({ topic: z.literal("a") }), "?__proto__=b&constructor=c&topic=a", null],
  ])("decides by %s", async (_, schema, sent, mismatch) => {
    expect(await post(schema, sent)).toMatchObject(
      mismatch
        ? { status: 200, outcome: "query_mismatch", pointers: mismatch }
        : { status: 202, outcome: "matched", pointers: [] },
    );
  });
});
