import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { curlOf, settingsOf, snippetOf, tokenUrl } from "./snippets.ts";

const request = { url: "https://hooks.example.com/triggers/billing/eu", key: "sbk_abc", example: { name: "O'Brien $HOME `id` \\ \u2028 é", n: 1 } };

/** What a shell makes of the command's words. */
function wordsOf(command: string): string[] {
  return execFileSync("sh", ["-c", `curl() { printf '%s\\0' "$@"; }\n${command}`], { encoding: "utf8" }).split("\0").slice(0, -1);
}

it("curl sends the example as it is, whatever stands in it", () => {
  const words = wordsOf(curlOf(request));
  expect(words).toEqual(["-i", request.url, "-H", "Authorization: Bearer sbk_abc", "-H", "Content-Type: application/json", "-d", JSON.stringify(request.example)]);
});

it("curl bears no key where none is needed", () => {
  expect(wordsOf(curlOf({ ...request, key: null }))).not.toContain("-H Authorization");
  expect(curlOf({ ...request, key: null })).not.toContain("Authorization");
});

it("fetch is a program that sends the example as it is", async () => {
  const sent: unknown[] = [];
  const run = new Function("fetch", `return (async () => { ${snippetOf("fetch", request)} })()`) as (fetch: (...call: unknown[]) => Promise<void>) => Promise<void>;
  await run(async (...call) => void sent.push(...call));
  expect(sent).toEqual([request.url, { method: "POST", headers: { "content-type": "application/json", authorization: "Bearer sbk_abc" }, body: JSON.stringify(request.example) }]);
});

it("senders that take only a URL get the key in it", () => {
  expect(tokenUrl(request)).toBe("https://hooks.example.com/triggers/billing/eu?token=sbk_abc");
  for (const kind of ["github", "stripe"] as const) expect(settingsOf(kind, request).fields[0]?.value).toBe(tokenUrl(request));
});
