import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { quote, toCurl } from "./curl.ts";

/** What a real shell makes of words: one a line of the answer's list. */
function wordsOf(command: string): string[] {
  const out = execFileSync("sh", ["-c", `for word in ${command}; do printf '%s\\0' "$word"; done`], { env: { ...process.env, SIGNALBOX_TOKEN: "sk 1" }, encoding: "utf8" });
  return out.split("\0").slice(0, -1);
}

test("a shell gives curl every text as it is", () => {
  const text = fc.string({ unit: fc.constantFrom("'", '"', "\\", "$", "`", "!", "\n", "\t", " ", "*", "@", "a", "é", "👍", "%", "(", "#", "&") });
  fc.assert(
    fc.property(text, (text) => {
      expect(wordsOf(quote(text))).toEqual([text]);
    }),
    { numRuns: 150 },
  );
});

test("the whole command sends the same address, headers and JSON", () => {
  const text = '{\n  "note": "it\'s $HOME `id` \\"x\\" %s"\n}';
  expect(wordsOf(toCurl({ url: "http://127.0.0.1:3002/triggers/a?token=x&y='1'", text, token: "SIGNALBOX_TOKEN" }))).toEqual([
    "curl", "-sS", "-X", "POST", "http://127.0.0.1:3002/triggers/a?token=x&y='1'",
    "-H", "Authorization: Bearer sk 1", "-H", "Content-Type: application/json", "--data-raw", text,
  ]);
});
