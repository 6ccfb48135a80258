import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fixture } from "./fixture.ts";

function folderOf(files: Record<string, unknown>): string {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-fixtures-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, value] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof value === "string" ? value : JSON.stringify(value));
  }
  return folder;
}

const headers = { "x-github-event": "issues" };

it("reads a recorded request with its headers, with a body of JSON, text or bytes", () => {
  const folder = folderOf({
    "json.json": { signalbox: "fixture", headers, json: { action: "opened" } },
    "text.json": { signalbox: "fixture", headers, text: "a=1" },
    "bytes.json": { signalbox: "fixture", headers, base64: Buffer.from([0, 255]).toString("base64") },
  });
  expect(fixture("json", { folder })).toMatchObject({ headers, body: { action: "opened" } });
  expect(fixture("text", { folder })).toMatchObject({ headers, body: "a=1" });
  expect(fixture("bytes", { folder }).body).toEqual(Buffer.from([0, 255]));
});

it("reads any other JSON as the body alone", () => {
  const folder = folderOf({ "signup.json": { name: "Ada" } });
  expect(fixture("signup", { folder })).toMatchObject({ headers: {}, body: { name: "Ada" } });
});

it("finds a fixture by the last part of its path, if it is unique", () => {
  const folder = folderOf({
    "github/issues.opened.json": { n: 1 },
    "github/push.json": { n: 2 },
    "gitea/push.json": { n: 3 },
  });
  expect(fixture("issues.opened", { folder }).body).toEqual({ n: 1 });
  expect(fixture("gitea/push", { folder }).body).toEqual({ n: 3 });
  expect(() => fixture("push", { folder })).toThrow("Several fixtures are named push: gitea/push, github/push.");
});

it("names the folder and its fixtures if there is none of this name", () => {
  const folder = folderOf({ "github/push.json": {} });
  expect(() => fixture("pushed", { folder })).toThrow(`no fixture pushed in ${folder}. The folder has: github/push.`);
  expect(() => fixture("a", { folder: join(folder, "none") })).toThrow("The folder has no fixtures.");
  expect(() => fixture("broken", { folder: folderOf({ "broken.json": "{" }) })).toThrow("is not valid JSON");
});
