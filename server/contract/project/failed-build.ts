/** One problem that a build reports about the project's files. `line` and `column` start at 1. */
export interface BuildProblem {
  code: string;
  severity: "error" | "warning";
  /** Path in the project, with `/`; `null` when it is about the project as a whole. */
  file: string | null;
  line: number | null;
  column: number | null;
  /** The lines around the problem, with a marker below it. */
  frame: string | null;
  /** One line: where and what, e.g. `triggers/stripe.ts › request › amount uses .transform()`. */
  title: string;
  /** Why it is a problem. */
  text: string;
  /** How to fix it. */
  fix: string;
}

/** The newest build failed; `signalbox dev` still serves the one before. */
export interface FailedBuild {
  /** ISO 8601. */
  at: string;
  problems: BuildProblem[];
}
