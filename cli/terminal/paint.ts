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

export function createPaint(hasColor: boolean): Paint {
  return hasColor ? (tone, text) => styleText(formats[tone], text, { validateStream: false }) : (_tone, text) => text;
}

/** Colours only on a terminal that has them. `hasColors` reads NO_COLOR, FORCE_COLOR and TERM. */
export function hasColor(stream: { isTTY?: boolean; hasColors?: () => boolean }): boolean {
  return stream.isTTY === true && stream.hasColors?.() === true;
}
