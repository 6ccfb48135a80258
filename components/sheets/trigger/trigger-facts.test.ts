import { expect, it } from "vitest";
import { describeChallenges, describeDedupe, describeFields, describeKeys, promptParts } from "./trigger-facts.ts";

it("deduplication is described with its event id and its window", () => {
  expect(describeDedupe({ header: "x-github-delivery", field: null, windowMs: 86_400_000 })).toBe(
    "by the header x-github-delivery, for 1 d",
  );
  expect(describeDedupe({ header: null, field: "/event/id", windowMs: 90_000 })).toBe(
    "by /event/id in the body, for 1 min 30 s",
  );
  expect(describeDedupe({ header: null, field: null, windowMs: 3_600_000 })).toBe(
    "by the standard headers or the signed content, for 1 h",
  );
});

it("the tests that the server answers are listed by sender, with their methods", () => {
  const tests = [
    { name: "dropbox", method: "GET" },
    { name: "mailchimp", method: "GET" },
    { name: "mailchimp", method: "HEAD" },
    { name: "challenge", method: "POST" },
    { name: "challenge", method: "POST" },
  ];
  expect(describeChallenges(tests)).toBe(
    "answered by Signalbox: dropbox (GET), mailchimp (GET, HEAD), your own (POST)",
  );
  expect(describeChallenges(tests.slice(0, 1))).toBe("answered by Signalbox: dropbox (GET)");
});

it("values of headers, query and filter are called required only if one is", () => {
  const properties = { a: { type: "string" }, b: { type: "string" } };
  expect(describeFields({ type: "object", properties, required: ["b"] })).toBe("required values");
  expect(describeFields({ allOf: [{ properties }, { required: ["a"] }] })).toBe("required values");
  expect(describeFields({ type: "object", properties })).toBe("optional values");
  expect(describeFields({ type: "object" })).toBeUndefined();
  expect(describeFields({ anyOf: [{ properties }, { properties }] })).toBeUndefined();
  expect(describeFields(null)).toBeUndefined();
});

it("the placeholders of a template are marked, escaped braces are not", () => {
  expect(promptParts("From {{ customer.email }}: \\{{ not }} {{a}}")).toEqual([
    { text: "From ", isPlaceholder: false },
    { text: "{{ customer.email }}", isPlaceholder: true },
    { text: ": {{ not }} ", isPlaceholder: false },
    { text: "{{a}}", isPlaceholder: true },
  ]);
});

const attachment = (slug: string, key: Parameters<typeof describeKeys>[0][number]["key"]) => ({
  target: { slug },
  key,
});

it("describes the key of the runs, for each target if they differ", () => {
  expect(describeKeys([attachment("charge", null)])).toBeNull();
  expect(describeKeys([attachment("charge", [{ field: "/customer/id" }])])).toBe("/customer/id");
  const both = [{ header: "x-account" }, { field: "/repo" }];
  expect(describeKeys([attachment("charge", both), attachment("mail", both)])).toBe("header x-account and /repo");
  expect(describeKeys([attachment("charge", both), attachment("mail", null)])).toBe(
    "charge: header x-account and /repo; mail: none",
  );
});
