import type { BuildProblem } from "../../server/contract/failed-build.ts";
import type { DiagnosticCode } from "./diagnostic-codes.ts";

/** One problem that the build reports about the user's files. */
export interface Diagnostic extends BuildProblem {
  code: DiagnosticCode;
}

/** Ends a build with diagnostics. Never leaves the build library. */
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

/** By file, line and column. Diagnostics without a file come first. */
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
