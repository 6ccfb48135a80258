import { createHmac } from "node:crypto";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { github } from "../../../../sdk/verify/index.ts";
import type { BodyFormat } from "../../../contract/project/endpoint.ts";
import { triggerOf } from "../../../ingest/testing/project.ts";
import { serve } from "../../testing/serve.ts";

const form: BodyFormat = { type: "form", field: null, bigints: "number" };
const payload: BodyFormat = { type: "form", field: "payload", bigints: "number" };
const json: BodyFormat = { type: "json", bigints: "number" };
const urlencoded = { "content-type": "application/x-www-form-urlencoded" };

async function send(url: string, endpoint: string, body: string | Uint8Array<ArrayBuffer>, headers: HeadersInit) {
  const response = await fetch(`${url}/triggers/${endpoint}`, { method: "POST", headers, body });
  return { status: response.status, headers: response.headers, json: (await response.json()) as { code?: string } };
}

describe("an endpoint that accepts forms", () => {
  test("starts a run with the fields of Slack's slash command, and keeps the body byte for byte", async () => {
    // https://docs.slack.dev/interactivity/implementing-slash-commands
    const command =
      "token=gIkuvaNzQIHg97ATvDxqgjtO&team_id=T0001&team_domain=example&enterprise_id=E0001&enterprise_name=Globular%20Construct%20Inc&channel_id=C2147483705&channel_name=test&user_id=U2147483697&user_name=Steve&command=/weather&text=94070&response_url=https://hooks.slack.com/commands/1234/5678&trigger_id=13345224609.738474920.8088930838d88f008e0&api_app_id=A123456";
    const { url, store } = await serve({
      triggers: [
        triggerOf({
          slug: "weather",
          body: [form],
          request: z.object({ command: z.literal("/weather"), text: z.string(), enterprise_name: z.string() }),
        }),
      ],
    });
    expect((await send(url, "weather", command, urlencoded)).status).toBe(202);
    expect(store.runs[0]?.payload).toEqual({
      command: "/weather",
      text: "94070",
      enterprise_name: "Globular Construct Inc",
    });
    expect(Buffer.from(store.deliveries[0]?.body ?? []).toString()).toBe(command);
  });

  test("unwraps the JSON in the field of Slack's buttons", async () => {
    const interaction = { type: "block_actions", actions: [{ action_id: "approve", value: "1" }] };
    const { url, store } = await serve({
      triggers: [
        triggerOf({
          slug: "button",
          body: [payload],
          request: z.object({
            type: z.literal("block_actions"),
            actions: z.array(z.object({ action_id: z.string() })),
          }),
          dedupe: { header: null, field: "/actions/0/action_id", windowMs: 60_000 },
        }),
      ],
    });
    const body = new URLSearchParams({ payload: JSON.stringify(interaction) }).toString();
    expect((await send(url, "button", body, urlencoded)).status).toBe(202);
    expect(store.runs[0]?.payload).toEqual({ type: "block_actions", actions: [{ action_id: "approve" }] });
    const again = await send(url, "button", `${body}&more=1`, urlencoded);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([202, "true"]);
    expect((await send(url, "button", "other=1", urlencoded)).json.code).toBe("invalid_body");
  });

  test("answers JSON with 415, says what to send, and records the request with its body", async () => {
    const { url, store } = await serve({
      triggers: [triggerOf({ slug: "only", body: [form], request: z.object({}) })],
    });
    const { status, headers } = await send(url, "only", '{"a":1}', { "content-type": "application/json" });
    expect([status, headers.get("accept")]).toEqual([415, "application/x-www-form-urlencoded"]);
    expect(store.deliveries).toMatchObject([
      {
        responseStatus: 415,
        problem: { code: "unsupported_media_type" },
        bodyBytes: 7,
        bodySha256: expect.any(String),
      },
    ]);
    expect(Buffer.from(store.deliveries[0]?.body ?? []).toString()).toBe('{"a":1}');
  });
});

describe("a compressed body", () => {
  const secret = "It's a Secret to Everybody";
  const sign = (bytes: Uint8Array | string) => `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;
  const body = '{"ref":"refs/heads/main"}';
  const gzip = { "content-type": "application/json", "content-encoding": "gzip" };
  const trigger = triggerOf({ slug: "pushed", request: z.object({ ref: z.string() }), verify: github({ secret }) });

  test("is matched and recorded without its compression, and its signature covers the bytes as sent or the decompressed ones", async () => {
    const { url, store } = await serve({ mode: "deployed", triggers: [trigger] });
    const bytes = gzipSync(body);
    for (const signature of [sign(bytes), sign(body)]) {
      const { status } = await send(url, "pushed", bytes, { ...gzip, "x-hub-signature-256": signature });
      expect(status).toBe(202);
      const recorded = store.deliveries.at(-1);
      expect(Buffer.from(recorded?.body ?? []).toString()).toBe(body);
      expect(recorded).toMatchObject({ bodyBytes: body.length, headers: { "signalbox-content-encoding": "gzip" } });
      expect(recorded?.headers).not.toHaveProperty("content-encoding");
    }
  });

  test("with an invalid signature, damaged, too large or in another encoding is rejected, and kept as it was sent", async () => {
    const { url, store } = await serve({ mode: "deployed", triggers: [trigger] });
    const bytes = gzipSync(body);
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    for (const [sent, signed, status, encoding] of [
      [bytes, "other", 401],
      [Buffer.from("no gzip"), "other", 401],
      [bytes.subarray(0, -1), bytes.subarray(0, -1), 400],
      [bomb, bomb, 413],
      [bytes, bytes, 415, "zstd"],
    ] as const) {
      const headers = {
        ...gzip,
        "x-hub-signature-256": sign(signed),
        ...(encoding && { "content-encoding": encoding }),
      };
      const response = await send(url, "pushed", Buffer.from(sent), headers);
      expect([response.status, response.headers.get("accept-encoding")]).toEqual([
        status,
        status === 415 ? "gzip, deflate, br" : null,
      ]);
      const recorded = store.deliveries.at(-1);
      expect(Buffer.from(recorded?.body ?? []).equals(sent)).toBe(true);
      expect(recorded?.headers).toMatchObject({ "content-encoding": encoding ?? "gzip" });
    }
  });
});

describe("GitHub", () => {
  const secret = "It's a Secret to Everybody";
  const examples = (
    createRequire(import.meta.url)("@octokit/webhooks-examples") as { name: string; examples: unknown[] }[]
  ).flatMap(({ name, examples: all }) => all.slice(0, 1).map((example) => ({ name, example })));

  test("is received in its default encoding, signed over the form, as it is as JSON", async () => {
    const { url, store } = await serve({
      mode: "deployed",
      triggers: [
        triggerOf({
          slug: "github",
          body: [json, payload],
          request: z.looseObject({ sender: z.looseObject({}).optional() }),
          verify: github({ secret }),
        }),
      ],
    });
    const sign = (body: string) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    for (const { name, example } of examples) {
      const asJson = JSON.stringify(example);
      const asForm = new URLSearchParams({ payload: asJson }).toString();
      const post = (body: string, type: string, signature = sign(body)) =>
        send(url, "github", body, { "content-type": type, "x-github-event": name, "x-hub-signature-256": signature });
      expect((await post(asForm, "application/x-www-form-urlencoded")).status).toBe(202);
      expect((await post(asForm, "application/x-www-form-urlencoded", sign(asJson))).status).toBe(401);
      expect((await post(asJson, "application/json")).status).toBe(202);
      const [first, second] = store.runs.splice(0);
      expect(first?.payload).toEqual(example);
      expect(second?.payload).toEqual(example);
    }
    expect(examples.length).toBeGreaterThan(50);
  });
});

test("files of a multipart form refer to their bytes, and text and bytes are strings", async () => {
  const { url, store } = await serve({
    triggers: [
      triggerOf({
        slug: "mail",
        body: [{ type: "multipart" }],
        request: z.object({
          from: z.string(),
          "attachment-1": z.object({ filename: z.string(), size: z.int(), path: z.string() }),
        }),
      }),
      triggerOf({ slug: "text", body: [{ type: "text" }], request: z.string().startsWith("<order") }),
      triggerOf({ slug: "bytes", body: [{ type: "bytes" }], request: z.string() }),
    ],
  });
  const mail = new FormData();
  mail.set("from", "Ada <ada@example.com>");
  mail.set("attachment-1", new File([Uint8Array.from([0, 255])], "a.bin", { type: "application/octet-stream" }));
  const response = await fetch(`${url}/triggers/mail`, { method: "POST", body: mail });
  expect(response.status).toBe(202);
  const id = response.headers.get("signalbox-delivery") ?? "";
  expect(store.runs[0]?.payload).toEqual({
    from: "Ada <ada@example.com>",
    "attachment-1": { filename: "a.bin", size: 2, path: `/api/v1/deliveries/${id}/files/0` },
  });
  expect((await send(url, "text", "<order/>", { "content-type": "application/xml" })).status).toBe(202);
  expect(store.runs[1]?.payload).toBe("<order/>");
  expect((await send(url, "bytes", Uint8Array.from([0, 255]), {})).status).toBe(202);
  expect(store.runs[2]?.payload).toBe("AP8=");
});

describe("an integer beyond 2⁵³", () => {
  test("that JavaScript only has as infinity is an error with its path, and the request is kept", async () => {
    const { url, store } = await serve({ triggers: [triggerOf({ slug: "order", request: z.object({}) })] });
    const { status, json: problem } = await send(url, "order", '{"items":[{"price":1e400}]}', type);
    expect([status, problem]).toMatchObject([
      400,
      { code: "invalid_body", errors: [{ pointer: "/items/0/price", code: "number_too_large" }] },
    ]);
    expect(Buffer.from(store.deliveries[0]?.body ?? []).toString()).toBe('{"items":[{"price":1e400}]}');
  });

  // Shopify's ids, of which some are larger than 2⁵³.
  const body = '{"id":9007199254740993,"line_items":[{"id":820982911946154508}]}';
  const request = z.object({
    id: z.union([z.int(), z.string(), z.number()]),
    line_items: z.array(z.object({ id: z.union([z.string(), z.number()]) })),
  });
  const type = { "content-type": "application/json" };

  test("is rounded, and the delivery lists where", async () => {
    const { url, store } = await serve({ triggers: [triggerOf({ slug: "order", request })] });
    expect((await send(url, "order", body, type)).status).toBe(202);
    expect(store.deliveries[0]?.headers["signalbox-rounded-numbers"]).toBe('["/id","/line_items/0/id"]');
    expect(store.runs[0]?.payload).toEqual(JSON.parse(body));
  });

  test('is a string with bigints: "string", and an event is identified by it', async () => {
    const { url, store } = await serve({
      triggers: [
        triggerOf({
          slug: "order",
          request,
          body: [{ type: "json", bigints: "string" }],
          dedupe: { header: null, field: "/id", windowMs: 60_000 },
        }),
      ],
    });
    expect((await send(url, "order", body, type)).status).toBe(202);
    expect(store.deliveries[0]?.headers).not.toHaveProperty("signalbox-rounded-numbers");
    expect(store.runs[0]?.payload).toEqual({ id: "9007199254740993", line_items: [{ id: "820982911946154508" }] });
    const other = await send(url, "order", body.replace("740993", "740992"), type);
    expect([other.status, other.headers.get("idempotent-replayed")]).toEqual([202, null]);
    expect((await send(url, "order", body, type)).headers.get("idempotent-replayed")).toBe("true");
  });
});
