import { styleText } from "node:util";

export type Tone = "good" | "bad" | "warn" | "busy" | "dim" | "strong" | "link";

/** Colours a string, unless colours are off. */
export type Paint = (tone: Tone, text: string) => string;

const formats = {
  good: "green",
  bad: "red",
  warn: "yellow",
  busy: "cyan",
  dim: "dim",
  strong: "bold",
  link: "underline",
} as const;

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
export function createTerminal(streams: { stdout: Stream; stderr: Stream; onReaderGone: () => void }): Terminal {
  streams.stdout.on("error", (error) => {
    if (error.code !== "EPIPE") throw error;
    streams.onReaderGone();
  });
  // Without a reader of stderr, the results on stdout are still needed.
  streams.stderr.on("error", () => {});
  return { out: toOutput(streams.stdout), err: toOutput(streams.stderr) };
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

export function createPaint(hasColor: boolean): Paint {
  return hasColor ? (tone, text) => styleText(formats[tone], text, { validateStream: false }) : (_tone, text) => text;
}

/** Colours only on a terminal that has them. `hasColors` reads NO_COLOR, FORCE_COLOR and TERM. */
export function hasColor(stream: { isTTY?: boolean; hasColors?: () => boolean }): boolean {
  return stream.isTTY === true && stream.hasColors?.() === true;
}
