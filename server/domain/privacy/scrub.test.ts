import { expect, it } from "vitest";
import { createScrub } from "./scrub.ts";

it("known values are replaced wherever they occur, as they are, in JSON and in URLs", () => {
  const { text, json } = createScrub([
    { original: 'Ada "Countess" L', shown: "Xyz Q" },
    { original: "4242424242424242", shown: "1111222233334444" },
    { original: 9_876_543, shown: 1_234_567 },
    { original: "PIN1", shown: "QWE7" },
  ]);
  expect(text(`card 4242424242424242 of ${JSON.stringify('Ada "Countess" L')}, id 9876543`)).toBe(
    'card 1111222233334444 of "Xyz Q", id 1234567',
  );
  expect(text(`?q=${encodeURIComponent('Ada "Countess" L')}`)).toBe("?q=Xyz%20Q");
  expect(json({ a: ["4242424242424242", 9_876_543, "PIN1", true, null], 'to Ada "Countess" L': 1 })).toEqual({
    a: ["1111222233334444", 1_234_567, "QWE7", true, null],
    "to Xyz Q": 1,
  });
  // Too short to be recognised in a text.
  expect(text("my PIN1 is")).toBe("my PIN1 is");
});

it("ten thousand values in a long text are replaced in linear time", () => {
  const values = Array.from({ length: 10_000 }, (_, at) => ({ original: `value ${at + 10_000}`, shown: "x" }));
  const { text } = createScrub(values);
  expect(text(values.map(({ original }) => original).join(";"))).toBe(values.map(() => "x").join(";"));
});

it("a long value that was cut is replaced as far as it is there, in every writing", () => {
  const original = `${"A secret, of many words. ".repeat(1_000)}The end`;
  const { text, json } = createScrub([{ original, shown: "[masked]" }]);
  for (const length of [64, 100, 16 * 1024, original.length - 1, original.length]) {
    const shown = text(`before ${original.slice(0, length)}… (cut, 25007 characters)`);
    expect(shown).toBe("before [masked]… (cut, 25007 characters)");
    expect(text(encodeURIComponent(original).slice(0, length))).toBe(encodeURIComponent("[masked]"));
    expect(json({ a: [`${original.slice(0, length)}…`] })).toEqual({ a: ["[masked]…"] });
  }
  expect(text(original.slice(0, 63))).toBe(original.slice(0, 63));
});

it("a value that was cut anywhere is replaced where an ellipsis follows, or a long text ends", () => {
  const original = 'Ada "the first" Lovelace';
  const { text, json } = createScrub([
    { original: "Ada Byron", shown: "other" },
    { original, shown: "[masked]" },
    { original: "Aladdin's", shown: "other" },
  ]);
  const before = "x".repeat(200);
  for (let length = 6; length < original.length; length += 1) {
    const part = original.slice(0, length);
    expect(text(`for ${part}… (cut, 30 bytes), for ${part}…`)).toBe("for [masked]… (cut, 30 bytes), for [masked]…");
    expect(text(before + part)).toBe(`${before}[masked]`);
    expect(json({ beginning: before + JSON.stringify(original).slice(1, length + 1) })).toEqual({
      beginning: `${before}[masked]`,
    });
    expect(text(part)).toBe(part);
  }
  expect(text(`${before}Ada is … Ada "the last"…`)).toBe(`${before}Ada is … Ada "the last"…`);
});

it("of long values with the same beginning, the one that fits best is replaced", () => {
  const same = "x".repeat(100);
  const { text } = createScrub([
    { original: `${same}one`, shown: "1" },
    { original: `${same}two`, shown: "2" },
  ]);
  expect(text(`${same}two, ${same}one, ${same}tw`)).toBe("2, 1, 2");
});
