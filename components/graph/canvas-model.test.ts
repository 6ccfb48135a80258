import { expect, it } from "vitest";
import { parseNodeId } from "./canvas-model.ts";

it.each([
  ["endpoint:team/billing", { kind: "endpoint", id: "team/billing" }],
  ["workflow:x", { kind: "workflow", id: "x" }],
  ["script:x", null],
  ["trigger:", null],
  ["", null],
])("%s as a node of the URL", (text, node) => {
  expect(parseNodeId(text)).toEqual(node);
});
