import { describe, expect, test } from "vitest";
import { firstValues, headersFor, recordGivenHeaders, recordHeaders, safeHeaders } from "./header-values.ts";
import { isSecretHeader } from "../privacy/secret-names.ts";

const key = `sbk_${"A".repeat(43)}`;
const record = (raw: Record<string, string | string[]>, secrets: string[] = []) => {
  const entries = Object.entries(raw).map(([name, value]): [string, string[]] => [name, [value].flat()]);
  return recordHeaders(
    {
      headers: new Map(entries.map(([name, values]) => [name, values.join(", ")])),
      repeated: new Map(entries.filter(([, values]) => values.length > 1)),
    },
    secrets,
  );
};

describe("the headers of a delivery", () => {
  test("are recorded joined, with the values of repeated ones beside them", () => {
    expect(record({ "x-event": "a, b", "x-topic": ["a", "b, c"] })).toEqual({
      "x-event": "a, b",
      "x-topic": "a, b, c",
      "signalbox-repeated-headers": '{"x-topic":["a","b, c"]}',
    });
  });

  test("are recorded without credentials, also if they are repeated", () => {
    const recorded = record(
      { cookie: ["a=1", "b=2"], "x-note": ["first", `see ${key}`], "x-other": ["x", "hunter22"] },
      ["hunter22"],
    );
    expect(JSON.stringify(recorded)).not.toMatch(/a=1|b=2|sbk_|hunter22/);
    expect(headersFor(recorded, ["x-note", "x-other", "cookie"])).toMatchObject({
      "x-note": ["first", "see [redacted]"],
      "x-other": ["x", "[redacted]"],
      cookie: ["[redacted]"],
    });
  });

  test("have no names that the service itself writes", () => {
    expect(record({ "signalbox-sent-from": "form", "signalbox-repeated-headers": '{"a":["b"]}', a: "c" })).toEqual({
      a: "c",
    });
  });

  test("are the first value of each header, and all values where a schema takes an array", () => {
    const recorded = record({ "x-event": "a, b", "x-topic": ["a", "b, c"] });
    expect(firstValues(recorded)).toMatchObject({ "x-event": "a, b", "x-topic": "a" });
    expect(headersFor(recorded, ["x-topic", "x-event", "x-missing"])).toMatchObject({
      "x-event": ["a, b"],
      "x-topic": ["a", "b, c"],
    });
    expect(headersFor(recorded, ["x-missing"])).not.toHaveProperty("x-missing");
  });

  test("are the same object if none is repeated", () => {
    const recorded = record({ "x-event": "a" });
    expect(firstValues(recorded)).toBe(recorded);
    expect(headersFor(recorded, [])).toBe(recorded);
  });

  test("of an old delivery may have the name that now lists repeated headers", () => {
    expect(firstValues({ a: "b", "signalbox-repeated-headers": "no JSON" })).toMatchObject({ a: "b" });
  });

  test("that a person writes for a test are read in the same way", () => {
    expect(headersFor(recordGivenHeaders({ "X-Event": "a", "X-Topic": ["b", "c"] }), ["x-topic"])).toMatchObject({
      "x-event": "a",
      "x-topic": ["b", "c"],
    });
  });
});

describe("a transform", () => {
  test("receives no credential, no signature and no header of the service", () => {
    const secret = [
      "authorization",
      "proxy-authorization",
      "cookie",
      "x-api-key",
      "apikey",
      "x-auth-token",
      "x-gitlab-token",
      "x-telegram-bot-api-secret-token",
      "x-goog-channel-token",
      "x-hub-signature",
      "x-hub-signature-256",
      "stripe-signature",
      "x-slack-signature",
      "x-shopify-hmac-sha256",
      "x-square-hmacsha256-signature",
      "webhook-signature",
      "svix-signature",
      "x-twilio-signature",
      "x-signature-ed25519",
      "x-zm-signature",
      "paypal-transmission-sig",
      "x-amz-security-token",
      "x-webhook-secret",
      "x-access-key",
      "x-functions-key",
      "ocp-apim-subscription-key",
      "x-license-key",
      "x-csrftoken",
    ];
    const kept = [
      "x-github-event",
      "x-github-delivery",
      "idempotency-key",
      "x-event-key",
      "webhook-id",
      "webhook-timestamp",
      "x-shopify-topic",
      "x-amz-sns-message-type",
      "x-gitlab-event",
      "x-slack-request-timestamp",
      "user-agent",
      "content-type",
      "x-design",
      "x-keyboard",
    ];
    expect(secret.filter((name) => !isSecretHeader(name))).toEqual([]);
    expect(kept.filter(isSecretHeader)).toEqual([]);
    const recorded = record(Object.fromEntries([...secret, ...kept].map((name) => [name, "value"])));
    expect(Object.keys(safeHeaders({ ...recorded, "signalbox-sent-from": "form" })).sort()).toEqual(kept.sort());
  });

  test("receives no header in which the endpoint's verification reads the signature", () => {
    const recorded = record({ "x-trello-webhook": "c2lnbmVk", "x-event": "a" });
    expect(safeHeaders(recorded, ["x-trello-webhook"])).toEqual({ "x-event": "a" });
  });

  test("receives no header whose value was redacted", () => {
    expect(safeHeaders(record({ "x-note": `see ${key}`, "x-event": "a" }))).toEqual({ "x-event": "a" });
  });
});
