/** What is wrong with a draft, and where: a JSON pointer. */
export interface Trouble {
  pointer: string;
  code: string;
  message: string;
}
