import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutPieces, cutText, splitMarks } from "./split-marks.ts";

/** A prompt with marks in order. */
const inputs = fc
  .array(
    fc.tuple(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "grapheme", minLength: 1 }),
      fc.constantFrom("", "customer.email", "lines"),
    ),
    { maxLength: 8 },
  )
  .map((parts) => {
    const input: { prompt: string; marks: { start: number; end: number; path: string }[] } = { prompt: "", marks: [] };
    for (const [own, foreign, path] of parts) {
      const start = input.prompt.length + own.length;
      input.prompt += own + foreign;
      input.marks.push({ start, end: start + foreign.length, path });
    }
    return input;
  });

describe("the pieces of a prompt", () => {
  it("contain every character once and in order, marked ones with their path", () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const pieces = splitMarks(input);
        expect(pieces.map(({ text }) => text).join("")).toBe(input.prompt);
        expect(pieces.filter(({ path }) => path !== null)).toEqual(
          input.marks.map(({ start, end, path }) => ({ text: input.prompt.slice(start, end), path })),
        );
      }),
    );
  });

  it("are cut to the beginning of the prompt, and report every cut", () => {
    fc.assert(
      fc.property(
        inputs,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 4 }),
        (input, characters, lines) => {
          const cut = cutPieces(splitMarks(input), { characters, lines, pieces: 5 });
          const text = cut.pieces.map((piece) => piece.text).join("");
          expect(input.prompt.startsWith(text)).toBe(true);
          expect(text.length).toBeLessThanOrEqual(characters);
          expect(text.split("\n").length).toBeLessThanOrEqual(lines);
          expect(cut.isCut).toBe(text.length < input.prompt.length);
        },
      ),
    );
  });
});

it("a string is cut by lines or characters, and never within a character", () => {
  expect(cutText("a\nb\nc", { lines: 2, characters: 100 })).toBe("a\nb");
  expect(cutText("abc", { lines: 9, characters: 2 })).toBe("ab");
  expect(cutText("a👍", { lines: 9, characters: 2 })).toBe("a");
  expect(cutText("a\nb", { lines: 2, characters: 100 })).toBe("a\nb");
});
