import type { JsonLine } from "../../server/shared/json/json-layout.ts";

/** The line numbers that are visible while some objects and arrays are folded. */
export function shownLines(lines: readonly JsonLine[], folded: ReadonlySet<number>): number[] {
  const shown: number[] = [];
  for (let at = 0; at < lines.length; at++) {
    shown.push(at);
    if (folded.has(at)) at = lines[at]?.last ?? at;
  }
  return shown;
}

/** `folded` without the ancestors that hide a line. Returns the same set if the line is visible. */
export function unfoldAround(
  lines: readonly JsonLine[],
  folded: ReadonlySet<number>,
  line: number,
): ReadonlySet<number> {
  const hiding = new Set<number>();
  for (let at = lines[line]?.parent ?? -1; at >= 0; at = lines[at]?.parent ?? -1) if (folded.has(at)) hiding.add(at);
  return hiding.size === 0 ? folded : new Set([...folded].filter((at) => !hiding.has(at)));
}

/** Whether the value of a line can be folded. */
export function isFoldable(line: JsonLine | undefined): boolean {
  return line !== undefined && line.count > 0;
}

export type PieceKind = "key" | "string" | "number" | "word" | "bracket" | "punctuation";

/** A rendered part of a line. `isValue`: it is (the start or the end of) the value. */
export interface Piece {
  kind: PieceKind;
  text: string;
  isValue: boolean;
}

const pieceKinds: Record<JsonLine["kind"], PieceKind> = {
  object: "bracket",
  array: "bracket",
  end: "bracket",
  string: "string",
  number: "number",
  word: "word",
};

/** The parts of a line. A folded object or array also shows its closing bracket. */
export function piecesOfLine(text: string, line: JsonLine, isFolded = false): Piece[] {
  const pieces: Piece[] = [];
  if (line.key)
    pieces.push(
      { kind: "key", text: text.slice(line.key.start, line.key.end), isValue: false },
      { kind: "punctuation", text: ": ", isValue: false },
    );
  pieces.push({ kind: pieceKinds[line.kind], text: valueText(text, line, isFolded), isValue: true });
  if (line.hasComma) pieces.push({ kind: "punctuation", text: ",", isValue: false });
  return pieces;
}

function valueText(text: string, line: JsonLine, isFolded: boolean): string {
  const own = text.slice(line.token.start, line.token.end);
  if (line.kind !== "object" && line.kind !== "array") return own;
  const end = line.kind === "object" ? "}" : "]";
  if (line.count === 0) return own + end;
  return isFolded ? `${own} … ${end}` : own;
}

/** The formatted text, for copying. */
export function prettyText(text: string, lines: readonly JsonLine[]): string {
  return lines
    .map(
      (line) =>
        "  ".repeat(line.depth) +
        piecesOfLine(text, line)
          .map((piece) => piece.text)
          .join(""),
    )
    .join("\n");
}
