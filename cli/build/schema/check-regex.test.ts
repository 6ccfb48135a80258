import { describe, expect, test } from "vitest";
import { checkRegexes } from "./check-regex.ts";

describe("checkRegexes", () => {
  test("tells dangerous expressions from safe ones, in their order", async () => {
    const verdicts = await checkRegexes([
      { source: "^[a-z]+$", flags: "" },
      { source: "^(a+)+$", flags: "" },
      { source: "no repetition", flags: "" },
      { source: "\\s+$", flags: "" },
    ]);
    expect(verdicts.map(({ status }) => status)).toEqual(["safe", "vulnerable", "safe", "vulnerable"]);
    expect(verdicts[1]).toMatchObject({ complexity: "exponential", attack: "'a' + 'a'.repeat(31) + '\\x00'" });
    expect(verdicts[3]).toMatchObject({ complexity: "2nd degree polynomial" });
  });

  test("its example of an attack really keeps the expression busy", async () => {
    const [verdict] = await checkRegexes([{ source: "^(a|a)*$", flags: "" }]);
    expect(verdict).toMatchObject({ status: "vulnerable", attack: expect.stringMatching(/^'a'\.repeat\(\d+\) \+ /) });
    // Twelve characters more are four thousand times the work: enough room for a busy machine.
    expect(nsOf(24)).toBeGreaterThan(nsOf(12) * 30);
  });

  test("says that it does not know what its checker cannot read", async () => {
    expect(await checkRegexes([{ source: "^[\\p{L}--[a-z]]+$", flags: "v" }])).toEqual([{ status: "unknown", reason: expect.any(String) }]);
  });

  test("looks at an expression once", async () => {
    const pattern = { source: "^(o+|on)*$", flags: "" };
    await checkRegexes([pattern]);
    const start = performance.now();
    for (let time = 0; time < 100; time++) expect((await checkRegexes([pattern, pattern])).map(({ status }) => status)).toEqual(["vulnerable", "vulnerable"]);
    // A thread and its 3 MB of checker take longer than this for one.
    expect(performance.now() - start).toBeLessThan(100);
  });
});

function nsOf(length: number): number {
  const start = process.hrtime.bigint();
  /^(a|a)*$/.test(`${"a".repeat(length)}\0`);
  return Number(process.hrtime.bigint() - start);
}
