import type { JsonSchemaObject } from "../../../server/contract/json.ts";

export interface EditorProps {
  id: string;
  text: string;
  schema: JsonSchemaObject;
  isInvalid: boolean;
  /** The offset to select: a new object for each request. */
  selected: { at: number } | null;
  onText: (text: string) => void;
}
