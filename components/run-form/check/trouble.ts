/** A validation issue of a draft at a JSON pointer. */
export interface Trouble {
  pointer: string;
  code: string;
  message: string;
}
