/**
 * Where in the user's own code an error came from, with the lines around it as they were when the code was built.
 * Counted from 1.
 */
export type CodeExcerpt = {
  /** Path in the project, with `/`. */
  file: string;
  line: number;
  column: number;
  lines: { number: number; text: string }[];
};
