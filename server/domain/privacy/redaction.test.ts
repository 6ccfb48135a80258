import { describe, expect, test } from "vitest";
import type { Verdict } from "../../contract/delivery.ts";
import { redactHeaders, redactText, redactVerdicts } from "./redaction.ts";

const key = "sbk_0123456789abcdefghijklmnopqrstuvwxyz";

describe("redaction", () => {
  test("keeps no credentials, by name or by value, and everything else", () => {
    const headers = new Map([
      ["authorization", `Bearer ${key}`],
      ["x-forwarded-authorization", "Basic YTpi"],
      ["cookie", "a=1, b=2"],
      ["x-api-key", "other"],
      ["referer", `https://example.com/triggers/a?token=my-own-key&x=1`],
      ["x-other", `${key}, and more`],
      ["authorization-x", `Basic ${Buffer.from(`hook:${key}`).toString("base64")}`],
      ["x-upstream", `for=a, bearer ${"t0k.en".repeat(4)};proto=https`],
      ["x-plan", "Basic enterprise-annual-2026"],
      ["x-list", "one, two"],
      ["__proto__", "kept"],
    ]);
    expect(Object.entries(redactHeaders(headers, ["my-own-key"]))).toEqual([
      ["authorization", "[redacted]"],
      ["x-forwarded-authorization", "[redacted]"],
      ["cookie", "[redacted]"],
      ["x-api-key", "[redacted]"],
      ["referer", "https://example.com/triggers/a?token=[redacted]&x=1"],
      ["x-other", "[redacted], and more"],
      ["authorization-x", "Basic [redacted]"],
      ["x-upstream", "for=a, bearer [redacted];proto=https"],
      ["x-plan", "Basic enterprise-annual-2026"],
      ["x-list", "one, two"],
      ["__proto__", "kept"],
    ]);
  });

  test("leaves a text alone when what was presented is too short to be a key", () => {
    expect(redactText("application/json", ["a", ""])).toBe("application/json");
  });

  test("leaves no rest of a secret that contains another", () => {
    expect(redactText("abcdefghij", ["abcdef", "abcdefghij"])).toBe("[redacted]");
  });
});

const verdict: Verdict = {
  trigger: "signup",
  attachmentId: "signup:note",
  target: { kind: "workflow", slug: "note" },
  outcome: "request_mismatch",
  runId: null,
  reasons: [
    {
      pointer: `/${key}`,
      code: "unrecognized_keys",
      message: `Unrecognized key: "${key}"`,
      expected: "a string",
      actual: `{"${key}": 1}`,
    },
  ],
};

test("a key in the body is redacted in verdicts, listed or counted", () => {
  const unlisted = { outcome: "filter_mismatch", pointer: `/${key}`, actual: `"${key}"`, count: 2 } as const;
  const cleaned = redactVerdicts({
    verdicts: [verdict],
    unlistedVerdicts: [unlisted, { ...unlisted, pointer: null, actual: null }],
  });
  expect(JSON.stringify(cleaned)).not.toContain(key);
  expect(JSON.stringify(cleaned.verdicts)).toContain("[redacted]");
  expect(cleaned.unlistedVerdicts).toEqual([
    { outcome: "filter_mismatch", pointer: "/[redacted]", actual: '"[redacted]"', count: 2 },
    { outcome: "filter_mismatch", pointer: null, actual: null, count: 2 },
  ]);
});
