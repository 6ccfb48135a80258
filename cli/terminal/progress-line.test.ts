import { expect, it } from "vitest";
import { createPaint } from "./terminal.ts";
import { createProgressLine } from "./progress-line.ts";

function lineOn(isTerminal: boolean) {
  const clock = { at: 0 };
  const written: string[] = [];
  const line = createProgressLine(
    { write: (text) => void written.push(text), paint: createPaint(false), hasColor: false, isTerminal },
    () => clock.at,
  );
  return { clock, written, line };
}

it("a terminal shows a bar that is redrawn at most ten times a second and finally cleared", () => {
  const { clock, written, line } = lineOn(true);
  for (clock.at = 0; clock.at <= 1000; clock.at += 10) line.show({ label: "copying run", done: clock.at, of: 1000 });
  expect(written).toHaveLength(10);
  expect(written[4]).toBe(`\r\u001b[2K${"█".repeat(15)}${"░".repeat(15)}  50 %  copying run`);
  line.clear();
  expect(written.at(-1)).toBe("\r\u001b[2K");
});

it("other outputs get a plain line every ten seconds, without escape codes", () => {
  const { clock, written, line } = lineOn(false);
  for (clock.at = 0; clock.at < 25_000; clock.at += 1000)
    line.show({ label: "copying run", done: clock.at, of: 25_000 });
  line.clear();
  expect(written).toEqual(["copying run: 10000 of 25000 rows (40 %)\n", "copying run: 20000 of 25000 rows (80 %)\n"]);
});

it("zero rows are 100 %", () => {
  const { clock, written, line } = lineOn(false);
  clock.at = 10_000;
  line.show({ label: "copying run", done: 0, of: 0 });
  expect(written).toEqual(["copying run: 0 of 0 rows (100 %)\n"]);
});
