import { expect, it } from "vitest";
import { webhookCurl } from "./webhook-curl.ts";

const request = {
  url: "http://a/t",
  headers: { "x-event": "paid" },
  query: "topic=refunds&shop=a+b",
  text: '{"id":"7"}',
};
const form = [{ type: "form", field: null, bigints: "number" }] as const;

it("the command posts the body to the URL with the query, after a key", () => {
  const rest = " \\\n  -H 'x-event: paid' \\\n  -H 'Content-Type: application/json' \\\n  --data-raw '{\"id\":\"7\"}'";
  expect(webhookCurl(request)).toBe(`curl -i 'http://a/t?topic=refunds&shop=a+b'${rest}`);
  expect(webhookCurl({ ...request, url: "http://a/t?token=k", methods: ["GET", "POST"] })).toBe(
    `curl -i 'http://a/t?token=k&topic=refunds&shop=a+b'${rest}`,
  );
});

it.each([
  ['{"id":"7","to":["a b","c&d"]}', "http://a/t?token=k&id=7&to=a+b&to=c%26d"],
  ["{}", "http://a/t?token=k"],
  ['"7"', 'http://a/t?token=k&"7"'],
])("of an endpoint that accepts only GET, the command for %s sends the body as the query", (text, url) => {
  const command = webhookCurl({
    url: "http://a/t?token=k",
    headers: {},
    query: "",
    text,
    formats: form,
    methods: ["GET"],
  });
  expect(command).toBe(`curl -i '${url}'`);
});
