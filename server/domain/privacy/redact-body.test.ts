import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Json } from "../../contract/json.ts";
import { createRedactBody } from "./redact-body.ts";

const redact = (body: Json) => createRedactBody()(body);

it("replaces email addresses by others, and equal ones by equal ones", () => {
  const redactBody = createRedactBody();
  expect(redactBody({ from: "Ada <ada@acme.org>", to: ["bob@acme.org", "ADA@acme.org"] })).toEqual({
    from: "Ada <person-1@example.com>",
    to: ["person-2@example.com", "person-1@example.com"],
  });
  expect(redactBody({ note: "ask bob@acme.org" })).toEqual({ note: "ask person-2@example.com" });
});

it.each([
  ["a token by its form", { text: `use ghp_${"a".repeat(36)} now` }, { text: "use [redacted] now" }],
  ["a key of the service", { note: `sbk_${"A".repeat(43)}` }, { note: "[redacted]" }],
  ["a JWT", { a: `Bearer eyJhbGciOi.eyJzdWIiOiIx.c2lnbmF0dXJl` }, { a: "Bearer [redacted]" }],
  [
    "a secret by the name of its field",
    { access_token: "abc", client_secret: "d" },
    { access_token: "[redacted]", client_secret: "[redacted]" },
  ],
  [
    "a secret in a URL",
    { url: "https://a.example/x?page=2&token=abc" },
    { url: "https://a.example/x?page=2&token=[redacted]" },
  ],
  [
    "names and addresses",
    { first_name: "Ada", address: { line1: "Main St 1", city: "Bern" } },
    { first_name: "[redacted]", address: { line1: "[redacted]", city: "Bern" } },
  ],
  [
    "phone numbers",
    { phone: "030 1234", text: "call +4930123456" },
    { phone: "+15550000001", text: "call +15550000002" },
  ],
  ["a number of a personal field", { latitude: 47.3 }, { latitude: 0 }],
])("replaces %s", (_, body, expected) => expect(redact(body)).toEqual(expected));

it("leaves everything else as it is", () => {
  const body = {
    type: "issues.opened",
    repository: { name: "widgets", id: 7, private: false },
    token_count: 3,
    password: "",
    at: "2026-01-31T12:00:00Z",
    tags: ["a", null],
  };
  expect(redact(body)).toEqual({ ...body, token_count: 0 });
});

it("keeps the type of every value, and changes nothing a second time", () => {
  const typesOf = (value: Json): unknown =>
    Array.isArray(value)
      ? value.map(typesOf)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, typesOf(field)]))
        : typeof value;
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const body = JSON.parse(JSON.stringify(value)) as Json;
      const once = redact(body);
      expect(typesOf(once)).toEqual(typesOf(body));
      expect(redact(once)).toEqual(once);
    }),
  );
});
