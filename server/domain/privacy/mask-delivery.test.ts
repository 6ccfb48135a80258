import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { exportSchema } from "../../../cli/build/schema/export.ts";
import type { Delivery, Reason } from "../../contract/delivery.ts";
import type { BodyFormat } from "../../contract/project/endpoint.ts";
import type { Json } from "../../contract/json.ts";
import { toPointer } from "../../shared/json/json-pointer.ts";
import { createFaker } from "./fake-value.ts";
import { maskDelivery } from "./mask-delivery.ts";
import { findSensitive } from "./sensitive-schema.ts";

const canary = "Canary-0815";
const faker = createFaker(Buffer.from("key"));

function delivery(body: string, p: Partial<Delivery> = {}): Delivery {
  return {
    id: "dlv_1",
    endpoint: "patients",
    receivedAt: "2026-11-21T10:00:00.000Z",
    method: "POST",
    headers: {},
    bodyBytes: body.length,
    bodySha256: "00",
    outcome: "skipped",
    responseStatus: 200,
    problem: null,
    verdicts: [],
    unlistedVerdicts: [],
    durationMs: 1,
    redeliveryOf: null,
    body: Buffer.from(body).toString("base64"),
    json: null,
    ...p,
  };
}

function mask(
  one: Delivery,
  schemas: { request?: z.ZodType; headers?: z.ZodType; query?: z.ZodType; format?: BodyFormat },
) {
  const { request, headers, query, format = { type: "json", bigints: "number" } } = schemas;
  return maskDelivery(
    one,
    {
      body: findSensitive([request ? exportSchema(request) : null]),
      headers: findSensitive([headers ? exportSchema(headers) : null]),
      query: findSensitive([query ? exportSchema(query) : null]),
      formats: [format],
    },
    faker,
  );
}

const shown = ({ body }: Delivery) => Buffer.from(body ?? "", "base64").toString();
const name = z.object({ name: z.string().meta({ sensitive: true }), plan: z.string() });

const part = (field: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`;

describe("the body of a masked delivery", () => {
  it("is encoded as a form if it was one, also with its JSON in a field", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const form = await mask(delivery(`name=${canary}&plan=gold`, { headers }), {
      request: name,
      format: { type: "form", field: null, bigints: "number" },
    });
    expect(shown(form)).toMatch(/^name=[A-Z][a-z]{5}-\d{4}&plan=gold$/);
    const payload = new URLSearchParams({ payload: JSON.stringify({ name: canary, plan: "gold" }) });
    const inField = await mask(delivery(payload.toString(), { headers }), {
      request: name,
      format: { type: "form", field: "payload", bigints: "number" },
    });
    expect(JSON.parse(new URLSearchParams(shown(inField)).get("payload") ?? "")).toMatchObject({ plan: "gold" });
    expect(shown(inField)).not.toContain(canary);
  });

  it("is JSON with its fields if it was a multipart form", async () => {
    const file = `--b\r\nContent-Disposition: form-data; name="scan"; filename="${canary}.txt"\r\n\r\n${canary}\r\n`;
    const masked = await mask(
      delivery(`${part("name", canary)}${part("plan", "gold")}${file}--b--\r\n`, {
        headers: { "content-type": "multipart/form-data; boundary=b" },
      }),
      {
        request: name.extend({ scan: z.record(z.string(), z.unknown()).meta({ sensitive: true }) }),
        format: { type: "multipart" },
      },
    );
    expect(masked).toMatchObject({
      isMasked: true,
      headers: { "content-type": "application/json" },
      json: { plan: "gold" },
    });
    expect(JSON.parse(shown(masked))).toEqual(masked.json);
    expect(shown(masked)).not.toContain(canary);
  });

  it("is a fake of the whole text if the text is sensitive", async () => {
    const masked = await mask(delivery(canary), {
      request: z.string().meta({ sensitive: true }),
      format: { type: "text" },
    });
    expect([shown(masked), masked.json]).toEqual([expect.stringMatching(/^[A-Z][a-z]{5}-\d{4}$/), null]);
  });
});

it("a repeated header is masked in all its values, and a removed credential stays removed", async () => {
  const headers = {
    "x-customer": `${canary}, ${canary}-2`,
    "x-old": "[redacted]",
    "x-topic": "a, b",
    "signalbox-repeated-headers": JSON.stringify({ "x-customer": [canary, `${canary}-2`], "x-topic": ["a", "b"] }),
  };
  const masked = await mask(delivery("{}", { headers }), {
    headers: z.object({
      "x-customer": z.array(z.string().meta({ sensitive: true })),
      "x-old": z.string().meta({ sensitive: true }),
    }),
  });
  expect(JSON.stringify(masked.headers)).not.toContain(canary);
  expect(masked.headers).toMatchObject({ "x-old": "[redacted]", "x-topic": "a, b" });
  expect(masked.headers["signalbox-repeated-headers"]).toContain('"x-topic":["a","b"]');
  // The body has no sensitive field.
  expect([shown(masked), masked.bodySha256]).toEqual(["{}", "00"]);
});

it("the paths of rounded numbers have no key that is data", async () => {
  const visits = z.object({ total: z.number(), visitors: z.record(z.string(), z.number()).meta({ sensitive: true }) });
  const body = `{"total":9007199254740993,"visitors":{"${canary}":9007199254740993}}`;
  const headers = { "signalbox-rounded-numbers": `["/total","/visitors/${canary}"]` };
  const masked = await mask(delivery(body, { headers }), { request: visits });
  const shownPaths = masked.headers["signalbox-rounded-numbers"] ?? "";
  expect(shownPaths).toMatch(/^\["\/total","\/visitors\/[^"]+"\]$/);
  expect(shownPaths).not.toContain(canary);
});

describe("a path in a recorded body", () => {
  const sensitive = { sensitive: true };
  const schemas: [string, z.ZodType][] = [
    ["a record", z.object({ a: z.record(z.string(), z.number()).meta(sensitive) })],
    ["a list", z.object({ a: z.array(z.number().meta(sensitive)) })],
    ["a list of objects", z.object({ a: z.array(z.object({ b: z.string().meta(sensitive) })) })],
    ["a field", z.object({ a: z.object({ b: z.number().meta(sensitive) }), b: z.number() })],
    ["alternatives", z.object({ a: z.union([z.string(), z.record(z.string(), z.number())]).meta(sensitive) })],
    ["a tuple", z.object({ a: z.tuple([z.number(), z.looseObject({ b: z.number() }).meta(sensitive)]) })],
    ["everything", z.looseObject({ a: z.unknown() }).meta(sensitive)],
  ];
  /** Names of the schemas, data, and data that looks like an index. */
  const key = fc.oneof(
    fc.constantFrom("a", "b"),
    fc.nat(999).map((n) => `data-${n}`),
    fc.nat(999).map((n) => `4111111111111${n}`),
  );
  const { body: bodies } = fc.letrec<{ body: Json; value: Json }>((tie) => ({
    body: fc.dictionary(key, tie("value"), { minKeys: 1, maxKeys: 3 }),
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constant(1),
      fc.dictionary(key, tie("value"), { minKeys: 1, maxKeys: 2 }),
      fc.array(tie("value"), { minLength: 1, maxLength: 2 }),
    ),
  }));

  const pathsOf = (value: Json, path: string[] = []): string[][] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([name, each]) => pathsOf(each, [...path, name]))
      : [path];

  it.each(schemas)(
    "has no key that the body hides, in headers, problems and verdicts: %s is sensitive",
    async (_, request) => {
      await fc.assert(
        fc.asyncProperty(bodies, async (body) => {
          const pointers = pathsOf(body).map(toPointer);
          const keys = pathsOf(body)
            .flat()
            .filter((name) => /^(data-|4111)/.test(name));
          const errors = pointers.map((pointer) => ({ pointer, code: "number_too_large", message: "Too large" }));
          const masked = await mask(
            delivery(JSON.stringify(body), {
              headers: { "signalbox-rounded-numbers": JSON.stringify(pointers) },
              problem: { type: "", title: "", status: 400, code: "invalid_body", detail: "", errors },
              unlistedVerdicts: pointers.map((pointer) => ({
                outcome: "request_mismatch",
                pointer,
                actual: null,
                count: 1,
              })),
            }),
            { request },
          );
          const { body: _, json: __, ...others } = masked;
          const text = JSON.stringify(others);
          const hidden = keys.filter((name) => !shown(masked).includes(`"${name}"`));
          expect(hidden.filter((name) => text.includes(`/${name}`))).toEqual([]);
        }),
        { numRuns: 200 },
      );
    },
  );
});

it("a sensitive parameter is masked in the recorded query and URL, in any notation; the rest stays as sent", async () => {
  const sent = `topic=a%20b&e%6Dail=${canary}&email=${canary}+2&to[]=1&empty`;
  const headers = {
    "signalbox-query": sent,
    "signalbox-request-url": `https://hooks.example.com/triggers/a?token=[redacted]&${sent}&plan=${canary}`,
  };
  const sensitive = z.string().meta({ sensitive: true });
  const masked = await mask(delivery("{}", { headers }), {
    query: z.object({ email: z.array(sensitive) }),
    // The body of a GET is its query.
    request: z.object({ plan: sensitive.optional() }),
  });
  expect(JSON.stringify(masked.headers)).not.toContain(canary);
  expect(masked.headers["signalbox-query"]).toMatch(/^topic=a%20b&e%6Dail=[^&]+&email=[^&]+&to\[\]=1&empty$/);
  expect(masked.headers["signalbox-request-url"]).toMatch(/\/a\?token=\[redacted\]&topic=a%20b&.+&empty&plan=[^&]+$/);
});

it("a mark on a whole schema applies to all its headers and parameters, and to the names that are data", async () => {
  const sent = `plan=${canary}-Plan&${canary}%40keys.example=1&to=${canary}-To`;
  const masked = await mask(
    delivery("", {
      method: "GET",
      headers: {
        "x-name": `${canary}-Name`,
        "content-type": "text/plain",
        "signalbox-query": sent,
        "signalbox-request-url": `https://hooks.example.com/a?${sent}`,
      },
    }),
    {
      headers: z.object({ "x-name": z.string() }).meta({ sensitive: true }),
      query: z.looseObject({ plan: z.string() }).meta({ sensitive: true }),
    },
  );
  expect(JSON.stringify(masked)).not.toMatch(/canary/i);
  expect(masked.headers).toMatchObject({
    "content-type": "text/plain",
    "signalbox-query": expect.stringMatching(/^plan=[^&]+&[a-z]{12}%40example\.com=[1-9]&[a-z]{2}=[^&]+$/),
  });
  const body = await mask(delivery("", { headers: { "signalbox-request-url": `/a?${sent}` } }), {
    request: z.record(z.string().meta({ sensitive: true }), z.string()),
  });
  expect(JSON.stringify(body)).not.toMatch(/canary/i);
});

it("reasons have no sensitive value, no key that is data, and no value that contains one", async () => {
  const request = z.object({
    card: z.object({ number: z.string() }).meta({ sensitive: true }),
    notes: z.record(z.string(), z.string()).meta({ sensitive: true }),
    order: z.object({ id: z.string(), buyer: z.object({ name: z.string().meta({ sensitive: true }) }) }),
  });
  const reason = (pointer: string, code = "invalid_type", message = "Invalid input"): Reason => ({
    pointer,
    code,
    message,
    expected: "a string",
    actual: `"${canary}"`,
  });
  const reasons = [
    reason("/card/number"),
    reason(`/notes/${canary}`),
    reason("/order"),
    reason("/order/id"),
    reason("/card", "unrecognized_keys", `Unrecognized key: "${canary}"`),
  ];
  const verdict = {
    trigger: "a",
    attachmentId: "a:b",
    target: { kind: "workflow" as const, slug: "b" },
    outcome: "request_mismatch" as const,
    runId: null,
    reasons,
  };
  const unlistedVerdicts = [
    { outcome: "request_mismatch" as const, pointer: "/card/number", actual: canary, count: 3 },
  ];
  const masked = await mask(delivery("{}", { verdicts: [verdict], unlistedVerdicts }), { request });
  expect(masked.verdicts[0]?.reasons.map(({ pointer, message, actual }) => [pointer, message, actual])).toEqual([
    ["/card/number", "Invalid input", "[masked]"],
    ["/notes/*", "Invalid input", "[masked]"],
    ["/order", "Invalid input", "[masked]"],
    ["/order/id", "Invalid input", `"${canary}"`],
    ["/card", "Invalid keys", "[masked]"],
  ]);
  expect(masked.unlistedVerdicts).toMatchObject([{ actual: "[masked]", count: 3 }]);
});
