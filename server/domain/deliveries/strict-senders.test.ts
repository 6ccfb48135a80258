import { expect, it } from "vitest";
import { isFromStrictSender, isStrictScheme } from "./strict-senders.ts";

it.for([
  [{ "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)" }, true],
  [{ "x-shopify-topic": "orders/create" }, true],
  [{ "linear-event": "Issue" }, true],
  [{ "x-github-event": "issues", "user-agent": "GitHub-Hookshot/abc" }, false],
  [{ "user-agent": "curl/8.0 Stripe/1.0" }, false],
  [{}, false],
] as const)("the headers %j are those of a sender that disables endpoints: %s", ([headers, isStrict]) => {
  expect(isFromStrictSender(headers)).toBe(isStrict);
});

it("names of verification schemes are compared exactly", () => {
  expect(["stripe", "github", "constructor", "STRIPE"].map(isStrictScheme)).toEqual([true, false, false, false]);
});
