import { EventEmitter } from "node:events";
import { WriteStream } from "node:tty";
import { expect, it, vi } from "vitest";
import { hasColor } from "./paint.ts";
import { runMarks, verdictMarks } from "./status-marks.ts";
import { createTerminal } from "./terminal.ts";

class FakeStream extends EventEmitter {
  write(): boolean {
    return true;
  }
}

it("colours are for terminals that have them: never for a pipe, never against NO_COLOR", () => {
  expect(hasColor({ isTTY: true, hasColors: () => true })).toBe(true);
  expect(hasColor({ hasColors: () => true })).toBe(false);
  // Node answers so under NO_COLOR and TERM=dumb.
  expect(hasColor({ isTTY: true, hasColors: () => false })).toBe(false);
});

it("a reader that has left ends the command quietly", () => {
  const [stdout, stderr, onReaderGone] = [new FakeStream(), new FakeStream(), vi.fn<() => void>()];
  createTerminal({ stdout, stderr, onReaderGone });
  stdout.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  expect(onReaderGone).toHaveBeenCalledOnce();
  expect(() => stdout.emit("error", Object.assign(new Error("disk full"), { code: "ENOSPC" }))).toThrow("disk full");
});

it("states differ in shape, not in colour alone", () => {
  for (const marks of [runMarks, verdictMarks]) {
    const shapes = Object.values(marks).map(({ mark }) => mark);
    expect(new Set(shapes).size).toBe(shapes.length);
  }
});

it("NO_COLOR wins over a terminal that has colours", () => {
  const { prototype } = WriteStream;
  const hasColors = (env: object) => prototype.hasColors.call(prototype, 16, { TERM: "xterm-256color", ...env });
  expect(hasColors({})).toBe(true);
  expect(hasColors({ NO_COLOR: "1" })).toBe(false);
});
