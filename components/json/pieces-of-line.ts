import type { JsonLine } from "./lay-out-json.ts";

export type PieceKind = "key" | "string" | "number" | "word" | "bracket" | "punctuation";

/** A rendered part of a line. `isValue`: it is (the start or the end of) the value. */
export interface Piece {
  kind: PieceKind;
  text: string;
  isValue: boolean;
}

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

const pieceKinds: Record<JsonLine["kind"], PieceKind> = {
  object: "bracket",
  array: "bracket",
  end: "bracket",
  string: "string",
  number: "number",
  word: "word",
};

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
