import { expect, it } from "vitest";
import { deliveryCurl, endpointPath } from "./delivery-curl.ts";

const delivery = (body: Uint8Array | string | null, headers: Record<string, string> = {}) => ({
  method: "POST",
  headers,
  body: body === null ? null : Buffer.from(body).toString("base64"),
});

it("the copied command has the headers that describe the body, and no redacted or connection headers", () => {
  const headers = {
    "content-type": "application/json",
    "x-empty": "",
    authorization: "[redacted]",
    host: "a",
    "content-length": "2",
    "signalbox-redelivery-of": "dlv_1",
  };
  expect(deliveryCurl(delivery("{}", headers), "http://a/")).toBe(
    "curl -i http://a/ \\\n  -H 'content-type: application/json' \\\n  -H 'x-empty;' \\\n  --data-raw '{}'",
  );
});

it("the copied command sends binary bodies, and no body if none is stored", () => {
  expect(deliveryCurl(delivery(new Uint8Array([255, 0])), "http://a/")).toBe(
    "printf %s '/wA=' | base64 -d | curl -i http://a/ \\\n  --data-binary @-",
  );
  expect(deliveryCurl(delivery(null), "http://a/")).toBe("curl -i http://a/ \\\n  -X POST");
});

it("the copied command has the query without redacted values; that of a GET is its body", () => {
  const headers = { "signalbox-query": "shop=a%20b&sig=[redacted]&topic=refunds" };
  expect(deliveryCurl(delivery("{}", headers), "http://a/?token=k")).toBe(
    "curl -i 'http://a/?token=k&shop=a%20b&topic=refunds' \\\n  --data-raw '{}'",
  );
  const get = { ...delivery("id=7&to=a", { "content-type": "application/x-www-form-urlencoded" }), method: "GET" };
  expect(deliveryCurl(get, "http://a/")).toBe("curl -i 'http://a/?id=7&to=a'");
  expect(deliveryCurl({ ...delivery(null, headers), method: "GET" }, "http://a/")).toBe(
    "curl -i 'http://a/?shop=a%20b&topic=refunds'",
  );
});

it("the name of an unknown endpoint is encoded as a path", () => {
  expect(endpointPath("billing/v1")).toBe("/triggers/billing/v1");
  expect(endpointPath("a?b#[c]%\u202e")).toBe("/triggers/a%3Fb%23%5Bc%5D%25%E2%80%AE");
});
