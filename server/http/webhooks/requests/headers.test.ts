import { request as httpRequest } from "node:http";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toWire } from "../../../domain/deliveries/header-values.ts";
import { triggerOf } from "../../../ingest/testing/project.ts";
import { serve } from "../../testing/serve.ts";

const body = JSON.stringify({ id: "evt_1" });
const request = z.object({ id: z.string() });

/** Sends headers as they are written, repeated ones included. */
async function send(url: string, endpoint: string, headers: readonly string[] = []) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; json: Record<string, unknown> }>();
  const all = [
    "content-type",
    "application/json",
    "content-length",
    String(body.length),
    "host",
    "localhost",
    ...headers,
  ];
  const outgoing = httpRequest(`${url}/triggers/${endpoint}`, { method: "POST", headers: all }, async (response) => {
    const text = (await response.toArray()).join("");
    resolve({ status: response.statusCode ?? 0, json: JSON.parse(text) });
  });
  outgoing.on("error", reject);
  // With a string, Node would encode the headers as UTF-8, too.
  outgoing.end(Buffer.from(body));
  return await promise;
}

const wire = (text: string) => Buffer.from(text).toString("latin1");

describe("a trigger with headers", () => {
  const only = triggerOf({ slug: "only", request, headers: z.object({ "x-event": z.literal("paid") }) });

  test("fires if the request has them, in any case, beside any others", async () => {
    const { url } = await serve({ triggers: [only] });
    expect(await send(url, "only", ["X-Event", "paid", "X-Other", "1"])).toMatchObject({ status: 202 });
  });

  test("skips a request without them, also if the body does not match and the endpoint has one trigger", async () => {
    const { url, store } = await serve({
      triggers: [{ ...only, request: triggerOf({ slug: "x", request: z.object({ no: z.string() }) }).request }],
    });
    for (const headers of [[], ["x-event", "refunded"]])
      expect(await send(url, "only", headers)).toEqual({ status: 200, json: { ok: true, skipped: true } });
    expect(store.deliveries.map(({ outcome, verdicts }) => [outcome, verdicts])).toMatchObject([
      [
        "skipped",
        [{ outcome: "headers_mismatch", reasons: [{ pointer: "/x-event", expected: '"paid"', actual: null }] }],
      ],
      [
        "skipped",
        [{ outcome: "headers_mismatch", reasons: [{ pointer: "/x-event", expected: '"paid"', actual: '"refunded"' }] }],
      ],
    ]);
    expect(await send(url, "only", ["x-event", "paid"])).toMatchObject({ status: 422 });
  });

  test("reads UTF-8 as UTF-8, and other bytes as ISO 8859-1, as a form and the command line send it", async () => {
    const { url, store } = await serve({ triggers: [only] });
    for (const [sent, read] of [
      [wire("ü€日"), "ü€日"],
      [wire("Ã¼"), "Ã¼"],
      ["\xfc", "ü"],
      [toWire("ü€日"), "ü€日"],
      [toWire("Ã¼"), "Ã¼"],
    ] as const) {
      await send(url, "only", ["x-event", "paid", "x-note", sent]);
      expect(store.deliveries.at(-1)?.headers).toMatchObject({ "x-note": read });
    }
  });

  test("reads each value of a repeated header in its own encoding", async () => {
    const { url, store } = await serve({ triggers: [only] });
    await send(url, "only", ["x-event", "paid", "x-note", wire("ü€日"), "x-note", "\xfc"]);
    expect(store.deliveries.at(-1)?.headers).toMatchObject({
      "x-note": "ü€日, ü",
      "signalbox-repeated-headers": '{"x-note":["ü€日","ü"]}',
    });
  });

  test("reads the first value of a repeated header, or all values where its schema is an array", async () => {
    const { url, store } = await serve({
      triggers: [
        triggerOf({
          slug: "a",
          endpoint: "topics",
          request,
          headers: z.object({ "x-topic": z.literal("first, of all") }),
        }),
        triggerOf({ slug: "b", endpoint: "topics", request, headers: z.object({ "x-topic": z.literal("second") }) }),
        triggerOf({
          slug: "c",
          endpoint: "topics",
          request,
          headers: z.object({ "x-topic": z.array(z.string()).length(2), "x-one": z.array(z.string()).length(1) }),
        }),
      ],
    });
    const { json } = await send(url, "topics", ["x-topic", "first, of all", "x-topic", "second", "x-one", "1"]);
    expect((json["runs"] as { trigger: string }[]).map(({ trigger }) => trigger)).toEqual(["a", "c"]);
    expect(store.deliveries[0]?.headers).toMatchObject({
      "x-topic": "first, of all, second",
      "signalbox-repeated-headers": '{"x-topic":["first, of all","second"]}',
    });
  });

  test("never sees a credential, nor a key in another header", async () => {
    const key = `sbk_${"A".repeat(43)}`;
    const { url, store } = await serve({
      triggers: [
        triggerOf({
          slug: "nosy",
          request,
          headers: z.looseObject({
            authorization: z.literal("no"),
            cookie: z.literal("no"),
            "x-note": z.literal("no"),
          }),
        }),
      ],
      authenticate: async () => ({ ok: true, keyId: null }),
    });
    await send(url, "nosy", ["authorization", `Bearer ${key}`, "cookie", "session=1", "x-note", `see ${key}`]);
    expect(store.deliveries[0]?.verdicts[0]?.reasons.map(({ actual }) => actual)).toEqual([
      '"[redacted]"',
      '"[redacted]"',
      '"see [redacted]"',
    ]);
    expect(JSON.stringify(store.deliveries[0])).not.toMatch(/sbk_|session=1/);
  });
});
