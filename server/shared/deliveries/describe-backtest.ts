import type { SkipReason, Stop } from "../../contract/backtest.ts";

/** `then filter mismatch`: the reason of a difference, after `then` or `now`. */
export const stopTexts: Record<Stop["outcome"], string> = {
  headers_mismatch: "headers mismatch",
  query_mismatch: "query mismatch",
  request_mismatch: "request mismatch",
  filter_mismatch: "filter mismatch",
  absent: "no such trigger",
  rejected: "request rejected",
  unlisted: "mismatch, not listed",
};

/** After a number of deliveries. */
export const skipTexts: Record<SkipReason, string> = {
  no_body: "the body is not stored",
  rejected: "rejected before triggers were evaluated",
  repeat: "repeat of an accepted event",
  redelivery: "redelivered by a person",
  handshake: "verification of the endpoint by its sender",
  disabled: "a trigger that would fire was disabled (its other triggers are compared)",
};
