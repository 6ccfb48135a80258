import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { announceServer, findRunningServer } from "./running-server.ts";

function project(): string {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-cli-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const server = {
  pid: process.pid,
  url: "http://127.0.0.1:3002",
  mode: "development" as const,
  startedAt: "2026-11-21T10:00:00.000Z",
};

it("an announced server is found until it is withdrawn, and leaves no other file", () => {
  const dir = project();
  expect(findRunningServer(dir)).toBeNull();
  const withdraw = announceServer(dir, server);
  expect(findRunningServer(dir)).toEqual(server);
  expect(readdirSync(join(dir, ".signalbox"))).toEqual(["server.json"]);
  withdraw();
  expect(findRunningServer(dir)).toBeNull();
  expect(existsSync(join(dir, ".signalbox/server.json"))).toBe(false);
});

it("entries of killed servers are ignored", () => {
  const dir = project();
  const { pid } = spawnSync(process.execPath, ["--version"]);
  announceServer(dir, { ...server, pid });
  expect(findRunningServer(dir)).toBeNull();
});

it("when the newest server ends, the one before it is found again; one that ends earlier leaves the newest", () => {
  const dir = project();
  // Two other processes that are alive.
  const first = { ...server, pid: process.ppid, url: "http://127.0.0.1:3001" };
  const second = { ...server, pid: 1, url: "http://127.0.0.1:3003" };
  const withdrawFirst = announceServer(dir, first);
  const withdrawSecond = announceServer(dir, second);
  const withdraw = announceServer(dir, server);
  expect(findRunningServer(dir)).toEqual(server);
  withdrawSecond();
  expect(findRunningServer(dir)).toEqual(server);
  withdraw();
  expect(findRunningServer(dir)).toEqual(first);
  withdrawFirst();
  expect(existsSync(join(dir, ".signalbox/server.json"))).toBe(false);
});

it("when the newest server was killed, the one before it is found", () => {
  const dir = project();
  announceServer(dir, server);
  const { pid } = spawnSync(process.execPath, ["--version"]);
  announceServer(dir, { ...server, pid });
  expect(findRunningServer(dir)).toEqual(server);
});

it("an unreadable file means no server", () => {
  const dir = project();
  mkdirSync(join(dir, ".signalbox"));
  for (const text of [
    "",
    "{",
    "null",
    '{"pid":-1,"url":"http://x","mode":"development","startedAt":"2026-11-21T10:00:00Z"}',
  ]) {
    writeFileSync(join(dir, ".signalbox/server.json"), text);
    expect(findRunningServer(dir)).toBeNull();
  }
});
