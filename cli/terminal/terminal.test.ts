import { EventEmitter } from "node:events";
import { WriteStream } from "node:tty";
import { expect, it, vi } from "vitest";
import { runMarks, verdictMarks } from "./status-marks.ts";
import { createTerminal, hasColor } from "./terminal.ts";

class FakeStream extends EventEmitter {
  write(): boolean {
    return true;
  }
}

it("colours only on terminals that support them, not on a pipe or with NO_COLOR", () => {
  expect(hasColor({ isTTY: true, hasColors: () => true })).toBe(true);
  expect(hasColor({ hasColors: () => true })).toBe(false);
  // Node answers so under NO_COLOR and TERM=dumb.
  expect(hasColor({ isTTY: true, hasColors: () => false })).toBe(false);
});

it("a closed stdout pipe ends the command silently", () => {
  const [stdout, stderr, onReaderGone] = [new FakeStream(), new FakeStream(), vi.fn<() => void>()];
  createTerminal({ stdout, stderr, onReaderGone });
  stdout.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  expect(onReaderGone).toHaveBeenCalledOnce();
  expect(() => stdout.emit("error", Object.assign(new Error("disk full"), { code: "ENOSPC" }))).toThrow("disk full");
});

it("statuses differ in shape, not only in colour", () => {
  for (const marks of [runMarks, verdictMarks]) {
    const shapes = Object.values(marks).map(({ mark }) => mark);
    expect(new Set(shapes).size).toBe(shapes.length);
  }
});

it("NO_COLOR overrides a terminal with colours", () => {
  const { prototype } = WriteStream;
  const hasColors = (env: object) => prototype.hasColors.call(prototype, 16, { TERM: "xterm-256color", ...env });
  expect(hasColors({})).toBe(true);
  expect(hasColors({ NO_COLOR: "1" })).toBe(false);
});
