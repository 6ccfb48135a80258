import { expect, it } from "vitest";
import { composeMachineName, hostOf } from "./machine-name.ts";

it.each([
  ["vm", "pid:[4026531836]"],
  ["web-1.internal", null],
  ["0c2ae8d1f0b4", "pid:[1]"],
])("shows the host name of %s, in every namespace", (host, namespace) => {
  expect(hostOf(composeMachineName(host, namespace))).toBe(host);
});
