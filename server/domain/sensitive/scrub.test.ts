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
