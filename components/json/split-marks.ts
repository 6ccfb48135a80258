import type { AgentInput } from "../../server/contract/agent/input.ts";

/** A section of a prompt. `path`: its path in the payload (`""`: no path); `null`: written by the project. */
export interface PromptPiece {
  text: string;
  path: string | null;
}

/** Splits the prompt into the project's own text and payload data. */
export function splitMarks({ prompt, marks }: AgentInput): PromptPiece[] {
  const pieces: PromptPiece[] = [];
  let at = 0;
  for (const { start, end, path } of marks) {
    if (start > at) pieces.push({ text: prompt.slice(at, start), path: null });
    if (end > start) pieces.push({ text: prompt.slice(start, end), path });
    at = Math.max(at, end);
  }
  if (at < prompt.length) pieces.push({ text: prompt.slice(at), path: null });
  return pieces;
}

interface Limit {
  lines: number;
  characters: number;
  pieces: number;
}

/** The first pieces within the limit. `isCut`: there are more. */
export function cutPieces(pieces: readonly PromptPiece[], limit: Limit): { pieces: PromptPiece[]; isCut: boolean } {
  const kept: PromptPiece[] = [];
  let { lines, characters } = limit;
  for (const piece of pieces) {
    if (kept.length === limit.pieces || characters <= 0 || lines <= 0) return { pieces: kept, isCut: true };
    const text = cutText(piece.text, { lines, characters });
    kept.push({ ...piece, text });
    if (text.length < piece.text.length) return { pieces: kept, isCut: true };
    characters -= text.length;
    lines -= text.split("\n").length - 1;
  }
  return { pieces: kept, isCut: false };
}

/** The first lines and characters of a string. Never splits a surrogate pair. */
export function cutText(text: string, { lines, characters }: Pick<Limit, "lines" | "characters">): string {
  let end = Math.min(text.length, characters);
  for (let line = 0, at = -1; line < lines; line += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0 || at >= end) break;
    if (line === lines - 1) end = at;
  }
  return end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] ?? "") ? text.slice(0, end - 1) : text.slice(0, end);
}
