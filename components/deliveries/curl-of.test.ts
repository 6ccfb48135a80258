import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { curlOf, endpointPath } from "./curl-of.ts";

const run = promisify(execFile);

/** Runs the command in a real shell, with a curl that only notes how it was called. */
async function callOf(command: string): Promise<{ args: string[]; body: Buffer }> {
  const dir = mkdtempSync(join(tmpdir(), "curl-of-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(
    join(dir, "curl"),
    `#!/bin/sh\nd="\${0%/*}"\n: > "$d/args"\nraw=\nfor a in "$@"; do printf '%s\\0' "$a" >> "$d/args"; [ "$raw" = y ] && printf %s "$a" > "$d/body"; raw=; [ "$a" = --data-raw ] && raw=y; [ "$a" = @- ] && cat > "$d/body"; done; exit 0\n`,
    { mode: 0o755 },
  );
  writeFileSync(join(dir, "body"), "");
  writeFileSync(join(dir, "command"), command);
  await run("sh", [join(dir, "command")], { env: { ...process.env, PATH: `${dir}:${process.env["PATH"]}` } });
  return { args: readFileSync(join(dir, "args"), "utf8").split("\0").slice(0, -1), body: readFileSync(join(dir, "body")) };
}

const delivery = (body: Uint8Array | string | null, headers: Record<string, string> = {}, method = "POST") => ({ method, headers, body: body === null ? null : Buffer.from(body).toString("base64") });

describe("the copied command", () => {
  it("sends the bytes of the body, whatever they are", async () => {
    const bodies = [...fc.sample(fc.uint8Array({ minLength: 1, maxLength: 40 }), 8), ...fc.sample(fc.string({ unit: "binary", minLength: 1 }), 8).map((text) => new TextEncoder().encode(text))];
    const texts = ["it's $HOME `id` \\ \"!\" %s\n\n", "@/etc/passwd", '{"a":1}\r\n', "\u0000", "\u001b[31m", "\uFEFF{}", "'", "-x", `{"big":"${"'ü".repeat(60_000)}"}`];
    for (const body of [...bodies, ...texts]) expect((await callOf(curlOf(delivery(body), "http://localhost/"))).body.equals(Buffer.from(body))).toBe(true);
  });

  it("bears the headers that say what is sent, and none that was redacted or belongs to the connection", async () => {
    const headers = { "content-type": "application/json", "x-note": "it's $(id)", "x-empty": "", authorization: "[redacted]", host: "a", "content-length": "2", "signalbox-redelivery-of": "dlv_1" };
    const { args } = await callOf(curlOf(delivery("{}", headers), "https://hooks.example.com/triggers/billing?token=a&b='c'"));
    expect(args).toEqual(["-i", "https://hooks.example.com/triggers/billing?token=a&b='c'", "-H", "content-type: application/json", "-H", "x-note: it's $(id)", "-H", "x-empty;", "--data-raw", "{}"]);
  });

  it("names the method where curl would take another", () => {
    expect(curlOf(delivery("{}", {}, "PUT"), "http://a/")).toContain("-X 'PUT'");
    expect(curlOf(delivery(null, {}, "GET"), "http://a/")).toBe("curl -i 'http://a/'");
    expect(curlOf(delivery(null), "http://a/")).toContain("-X 'POST'");
  });
});

it("an endpoint that nobody defined is no more than a path", () => {
  expect(endpointPath("billing/v1")).toBe("/triggers/billing/v1");
  expect(endpointPath("a?b#[c]%\u202e")).toBe("/triggers/a%3Fb%23%5Bc%5D%25%E2%80%AE");
});
