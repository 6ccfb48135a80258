/** A validation issue of a draft at a JSON pointer. */
export interface Issue {
  pointer: string;
  code: string;
  message: string;
}
