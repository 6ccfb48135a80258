import type { DiagnosticCode } from "./diagnostic-codes.ts";

/** One thing that the build has to say about the user's files. `line` and `column` start at 1. */
export interface Diagnostic {
  code: DiagnosticCode;
  severity: "error" | "warning";
  /** Path in the project, with `/`; `null` when it is about the project as a whole. */
  file: string | null;
  line: number | null;
  column: number | null;
  /** The lines around the place, with a marker below it. */
  frame: string | null;
  /** One line: where and what, e.g. `triggers/stripe.ts › request › amount uses .transform()`. */
  title: string;
  /** Why it is so. */
  text: string;
  /** The way out. */
  fix: string;
}

/** Ends a build with what the user has to mend. Never leaves the build library. */
export class BuildFailure extends Error {
  override readonly name = "BuildFailure";
  readonly diagnostics: Diagnostic[];

  constructor(diagnostics: Diagnostic[]) {
    super(diagnostics.map((diagnostic) => diagnostic.title).join("\n"));
    this.diagnostics = diagnostics;
  }
}

/** Parts of a title, from the outside to the inside. */
export function trail(...parts: readonly string[]): string {
  return parts.join(" › ");
}

/** By file, line and column; what belongs to no file comes first. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort(
    (a, b) =>
      compare(a.file ?? "", b.file ?? "") ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0) ||
      compare(a.title, b.title),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
