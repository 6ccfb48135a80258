import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import type { JsonFault } from "../draft/draft-text.ts";

export interface EditorProps {
  id: string;
  text: string;
  schema: JsonSchemaObject;
  isInvalid: boolean;
  /** The offset to select: a new object for each request. */
  selected: { at: number } | null;
  onText: (text: string) => void;
}

/** The offset of a syntax error. Its columns count characters, not UTF-16 units. */
export function faultOffset(text: string, { line, column }: JsonFault): number {
  const starts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((end) => end.index + end[0].length)];
  const start = starts[line - 1] ?? text.length;
  return (
    start +
    Array.from(text.slice(start))
      .slice(0, column - 1)
      .join("").length
  );
}
