import { describe, expect, test } from "vitest";
import { redactHeaders, redactText } from "./redaction.ts";

const key = "sbk_0123456789abcdefghijklmnopqrstuvwxyz";

describe("redaction", () => {
  test("keeps no credentials, by name or by value, and everything else", () => {
    const headers = new Map([
      ["authorization", [`Bearer ${key}`]],
      ["x-forwarded-authorization", ["Basic YTpi"]],
      ["cookie", ["a=1", "b=2"]],
      ["x-api-key", ["other"]],
      ["referer", [`https://example.com/triggers/a?token=my-own-key&x=1`]],
      ["x-other", [`${key}, and more`]],
      ["x-list", ["one", "two"]],
      ["__proto__", ["kept"]],
    ]);
    expect(Object.entries(redactHeaders(headers, ["my-own-key"]))).toEqual([
      ["authorization", "[redacted]"],
      ["x-forwarded-authorization", "[redacted]"],
      ["cookie", "[redacted]"],
      ["x-api-key", "[redacted]"],
      ["referer", "https://example.com/triggers/a?token=[redacted]&x=1"],
      ["x-other", "[redacted], and more"],
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
