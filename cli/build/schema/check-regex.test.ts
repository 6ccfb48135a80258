import { describe, expect, test } from "vitest";
import { checkRegexes } from "./check-regex.ts";
import { findBoundedAttack } from "./count-backtracking.ts";

describe("checkRegexes", () => {
  test("distinguishes unsafe expressions from safe ones, in their order", async () => {
    const verdicts = await checkRegexes([
      { source: "^[a-z]+$", flags: "" },
      { source: "^(a+)+$", flags: "" },
      { source: "no repetition", flags: "" },
      { source: "\\s+$", flags: "" },
    ]);
    expect(verdicts.map(({ status }) => status)).toEqual(["safe", "vulnerable", "safe", "vulnerable"]);
    expect(verdicts[1]).toMatchObject({ cost: "exponential time", attack: "'a' + 'a'.repeat(31) + '\\x00'" });
    expect(verdicts[3]).toMatchObject({ cost: "2nd degree polynomial time" });
  });

  test("its example string really blocks the expression", async () => {
    const [verdict] = await checkRegexes([{ source: "^(a|a)*$", flags: "" }]);
    expect(verdict).toMatchObject({ status: "vulnerable", attack: expect.stringMatching(/^'a'\.repeat\(\d+\) \+ /) });
    // Twelve characters more are four thousand times the work: enough room for a busy machine.
    expect(nsOf(24)).toBeGreaterThan(nsOf(12) * 30);
  });

  test.each([
    ["optional characters before the same ones", "a?".repeat(12) + "a".repeat(12) + "!"],
    ["optional groups", `^x${"(?:ab)?".repeat(20)}$`],
    ["nested bounded repetitions", "^(?:(?:a{1,30}){1,30}){1,30}$"],
    ["bounded repetitions of bounded ones", "^([a-z]{1,10}[0-9]{0,5}){1,10}$"],
    ["an optional separator", "^(?:[a-z]{1,10}\\s?){1,20}$"],
    ["alternatives that match the same", `${"(?:a|a)".repeat(20)}$`],
    ["alternatives that together match the same", "^(?:a|b|ab){1,40}$"],
    ["a lookahead", "(?=(a?){20}b)a"],
  ])("counts the steps of bounded repetitions: %s", async (_, source) => {
    const [verdict] = await checkRegexes([{ source, flags: "" }]);
    expect(verdict).toMatchObject({
      status: "vulnerable",
      cost: expect.stringMatching(/steps for one attempt$|time$/),
      attack: expect.stringContaining("repeat("),
    });
  });

  test.each([
    ["a telephone number", "^\\+?\\d{1,3}[-. ]?\\(?\\d{3}\\)?[-. ]?\\d{3}[-. ]?\\d{4}$"],
    ["a host name", "^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,6}$"],
    ["a time", "^\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d{2}:?\\d{2})?)?$"],
    ["optional characters at the start, where one attempt is all there is", `^${"a?".repeat(12)}${"a".repeat(12)}!`],
    ["optional characters that never fail", "^(a?){25}"],
  ])("accepts common expressions: %s", async (_, source) => {
    expect(await checkRegexes([{ source, flags: "" }])).toEqual([{ status: "safe" }]);
  });

  test("counts steps as an engine takes them", () => {
    expect(countOptional(14)).toBeNull();
    expect(countOptional(28)).toMatchObject({ steps: expect.closeTo(7.8e9, -9) });
  });

  test("returns unknown for expressions that the checker cannot parse", async () => {
    expect(await checkRegexes([{ source: "^[\\p{L}--[a-z]]+$", flags: "v" }])).toEqual([
      { status: "unknown", reason: expect.any(String) },
    ]);
  });

  test("checks an expression once", async () => {
    const pattern = { source: "^(o+|on)*$", flags: "" };
    await checkRegexes([pattern]);
    const start = performance.now();
    for (let time = 0; time < 100; time++)
      expect((await checkRegexes([pattern, pattern])).map(({ status }) => status)).toEqual([
        "vulnerable",
        "vulnerable",
      ]);
    // A thread and its 3 MB of checker take longer than this for one.
    expect(performance.now() - start).toBeLessThan(100);
  });
});

/** `a?` that often, then `a` as often. */
function countOptional(times: number): ReturnType<typeof findBoundedAttack> {
  return findBoundedAttack({ source: `^${"a?".repeat(times)}${"a".repeat(times)}$`, flags: "" });
}

function nsOf(length: number): number {
  const start = process.hrtime.bigint();
  /^(a|a)*$/.test(`${"a".repeat(length)}\0`);
  return Number(process.hrtime.bigint() - start);
}
