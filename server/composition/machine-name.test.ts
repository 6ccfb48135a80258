import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { expect, it } from "vitest";
import { machineName } from "./machine-name.ts";

it("distinguishes containers of one host that share a store, and recognizes a restarted container with a store of its own", () => {
  expect(machineName({ database: { kind: "sqlite", file: "/x" } })).toBe(hostname());
  const shared = machineName({ database: { kind: "postgres", url: "postgres:///x" } });
  expect(shared).toMatch(existsSync("/proc/self/ns/pid") ? /^\S+ pid:\[\d+\]$/ : /^\S+$/);
});
