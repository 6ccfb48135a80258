import { createPaint, hasColor, type Paint } from "./paint.ts";

/** Where commands write: results to `out`, messages to `err`. */
export interface Terminal {
  out: Output;
  err: Output;
}

export interface Output {
  write(text: string): void;
  paint: Paint;
  hasColor: boolean;
  /** The output is a terminal, so lines can be overwritten. */
  isTerminal: boolean;
}

interface Stream {
  write(text: string): unknown;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
  isTTY?: boolean;
  hasColors?: () => boolean;
}

/** `onReaderGone`: the reader of stdout (`… | head`) closed the pipe. */
export function createTerminal(p: { stdout: Stream; stderr: Stream; onReaderGone: () => void }): Terminal {
  p.stdout.on("error", (error) => {
    if (error.code !== "EPIPE") throw error;
    p.onReaderGone();
  });
  // Without a reader of stderr, the results on stdout are still needed.
  p.stderr.on("error", () => {});
  return { out: toOutput(p.stdout), err: toOutput(p.stderr) };
}

function toOutput(stream: Stream): Output {
  const isColored = hasColor(stream);
  return {
    write: (text) => void stream.write(text),
    paint: createPaint(isColored),
    hasColor: isColored,
    isTerminal: stream.isTTY === true,
  };
}
