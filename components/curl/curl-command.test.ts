import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { curlCommand, jsonCurl, shellQuote } from "./curl-command.ts";

const run = promisify(execFile);
const url = "http://localhost/triggers/a?token=x&y='1'";

/** Runs the command in a real shell, with a fake curl that records its arguments and its input. */
async function callOf(command: string): Promise<{ args: string[]; body: Buffer }> {
  const dir = mkdtempSync(join(tmpdir(), "curl-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(
    join(dir, "curl"),
    `#!/bin/sh\nd="\${0%/*}"\n: > "$d/args"\nraw=\nfor a in "$@"; do printf '%s\\0' "$a" >> "$d/args"; [ "$raw" = y ] && printf %s "$a" > "$d/body"; raw=; [ "$a" = --data-raw ] && raw=y; [ "$a" = @- ] && cat > "$d/body"; done; exit 0\n`,
    { mode: 0o755 },
  );
  writeFileSync(join(dir, "body"), "");
  writeFileSync(join(dir, "command"), command);
  await run("sh", [join(dir, "command")], {
    env: { ...process.env, PATH: `${dir}:${process.env["PATH"]}`, SIGNALBOX_TOKEN: "sk 1" },
  });
  return {
    args: readFileSync(join(dir, "args"), "utf8").split("\0").slice(0, -1),
    body: readFileSync(join(dir, "body")),
  };
}

describe("a shell", () => {
  it("reads every quoted text as one word, unchanged", async () => {
    const unit = fc.constantFrom(
      "'",
      '"',
      "\\",
      "$",
      "`",
      "!",
      "\n",
      "\t",
      " ",
      "*",
      "@",
      "a",
      "é",
      "👍",
      "%",
      "(",
      "#",
      "&",
      "~",
      "-",
      "=",
      "{",
      ",",
      "}",
    );
    const texts = ["", "-x", "~", "a=b", "plain-word.1:/@", ...fc.sample(fc.string({ unit }), 150)];
    const { stdout } = await run("sh", [
      "-c",
      `for word in ${texts.map(shellQuote).join(" ")}; do printf '%s\\0' "$word"; done`,
    ]);
    expect(stdout.split("\0").slice(0, -1)).toEqual(texts);
  });

  it("passes the exact bytes of every body to curl", async () => {
    const bodies = [
      ...fc.sample(fc.uint8Array({ minLength: 1, maxLength: 40 }), 8),
      ...fc.sample(fc.string({ unit: "binary", minLength: 1 }), 8),
    ];
    const texts = [
      'it\'s $HOME `id` \\ "!" %s\n\n',
      "@/etc/passwd",
      '{"a":1}\r\n',
      "\u0000",
      "\u001b[31m",
      "\uFEFF{}",
      "'",
      "-x",
      `{"big":"${"'ü".repeat(60_000)}"}`,
    ];
    for (const body of [...bodies, ...texts])
      expect((await callOf(curlCommand({ url, body }))).body.equals(Buffer.from(body))).toBe(true);
  });

  it("passes the URL, the token from its variable, the headers and the JSON to curl", async () => {
    const text = '{\n  "note": "it\'s $HOME `id` \\"x\\" %s"\n}';
    const { args } = await callOf(
      jsonCurl({ url, text, tokenVariable: "SIGNALBOX_TOKEN", headers: { "x-note": "it's $(id)", "x-empty": "" } }),
    );
    expect(args).toEqual([
      "-i",
      url,
      "-H",
      "Authorization: Bearer sk 1",
      "-H",
      "x-note: it's $(id)",
      "-H",
      "x-empty;",
      "-H",
      "Content-Type: application/json",
      "--data-raw",
      text,
    ]);
  });
});

it("the method is explicit where curl has another default", () => {
  expect(curlCommand({ url: "http://a/", method: "PUT", body: "{}" })).toContain("-X PUT");
  expect(curlCommand({ url: "http://a/", method: "GET" })).toBe("curl -i http://a/");
  expect(curlCommand({ url: "http://a/", method: "POST" })).toContain("-X POST");
});
