import type { BuildProblem } from "../../../server/contract/project/failed-build.ts";
import type { DiagnosticCode } from "./diagnostic-codes.ts";

type Paint = Record<"title" | "warning" | "location" | "marker" | "faint", (text: string) => string>;

const plain: Paint = { title: same, warning: same, location: same, marker: same, faint: same };

const ansi: Paint = {
  title: (text) => `\u001b[1;31m${text}\u001b[0m`,
  warning: (text) => `\u001b[1;33m${text}\u001b[0m`,
  location: (text) => `\u001b[36m${text}\u001b[0m`,
  marker: (text) => `\u001b[31m${text}\u001b[0m`,
  faint: (text) => `\u001b[2m${text}\u001b[0m`,
};

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

/** The diagnostics for a person, each with its location, reason and fix. Ends with a line break. */
export function renderDiagnostics(diagnostics: readonly Diagnostic[], options: { color: boolean }): string {
  const paint = options.color ? ansi : plain;
  return (
    diagnostics.map((diagnostic) => renderOne(diagnostic, paint)).join("\n\n") + (diagnostics.length > 0 ? "\n" : "")
  );
}

/** The diagnostics of a failed build for a program, as printed with `--json`: errors and warnings. */
export function diagnosticsJson(all: readonly Diagnostic[]): { diagnostics: Diagnostic[]; warnings: Diagnostic[] } {
  return {
    diagnostics: all.filter(({ severity }) => severity === "error"),
    warnings: all.filter(({ severity }) => severity === "warning"),
  };
}

function same(text: string): string {
  return text;
}

function renderOne(diagnostic: Diagnostic, paint: Paint): string {
  const title =
    diagnostic.severity === "warning" ? paint.warning(`warning: ${diagnostic.title}`) : paint.title(diagnostic.title);
  const sections = [title, renderLocation(diagnostic, paint), indent(`${diagnostic.text}\n${diagnostic.fix}`)];
  return sections.filter((section) => section !== "").join("\n\n");
}

function renderLocation({ file, line, column, frame }: Diagnostic, paint: Paint): string {
  if (file === null || line === null || frame === null) return "";
  const rows = frame
    .split("\n")
    .map((row) => (row.startsWith(">") ? row : /\| *\^$/.test(row) ? paint.marker(row) : paint.faint(row)));
  return indent([paint.location(`${file}:${line}:${column ?? 1}`), ...rows].join("\n"));
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
