import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { expect, it } from "vitest";
import { machineName } from "./machine-name.ts";

it("tells containers of one host apart where they share a store, and knows one that comes again where it is alone", () => {
  expect(machineName({ database: { kind: "sqlite", file: "/x" } })).toBe(hostname());
  const shared = machineName({ database: { kind: "postgres", url: "postgres:///x" } });
  expect(shared).toMatch(existsSync("/proc/self/ns/pid") ? /^\S+ pid:\[\d+\]$/ : /^\S+$/);
});
