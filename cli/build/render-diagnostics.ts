import type { Diagnostic } from "./diagnostic.ts";

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

type Paint = Record<"title" | "warning" | "place" | "marker" | "faint", (text: string) => string>;

const plain: Paint = { title: same, warning: same, place: same, marker: same, faint: same };

const ansi: Paint = {
  title: (text) => `\u001b[1;31m${text}\u001b[0m`,
  warning: (text) => `\u001b[1;33m${text}\u001b[0m`,
  place: (text) => `\u001b[36m${text}\u001b[0m`,
  marker: (text) => `\u001b[31m${text}\u001b[0m`,
  faint: (text) => `\u001b[2m${text}\u001b[0m`,
};

function same(text: string): string {
  return text;
}

function renderOne(diagnostic: Diagnostic, paint: Paint): string {
  const title =
    diagnostic.severity === "warning" ? paint.warning(`warning: ${diagnostic.title}`) : paint.title(diagnostic.title);
  const sections = [title, renderPlace(diagnostic, paint), indent(`${diagnostic.text}\n${diagnostic.fix}`)];
  return sections.filter((section) => section !== "").join("\n\n");
}

function renderPlace({ file, line, column, frame }: Diagnostic, paint: Paint): string {
  if (file === null || line === null || frame === null) return "";
  const rows = frame
    .split("\n")
    .map((row) => (row.startsWith(">") ? row : /\| *\^$/.test(row) ? paint.marker(row) : paint.faint(row)));
  return indent([paint.place(`${file}:${line}:${column ?? 1}`), ...rows].join("\n"));
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
