import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DiagnosticCode, diagnosticCodes } from "./diagnostic-codes.ts";
import type { Diagnostic } from "./diagnostic.ts";

const linesAround = 2;
const widest = 160;

export interface Place {
  file: string;
  line: number;
  column: number;
}

/** The user's files, for diagnostics. Each file is read once. */
export interface ProjectFiles {
  /** The location of a property such as `slug:` in a file, with this string value if one is given; `null`: not found. */
  findProperty(file: string, name: string, value?: unknown): Place | null;
  /** The first location of a string in a file; `null`: not found. */
  findText(file: string, text: string): Place | null;
  /** The word at a location, e.g. the name of the method that is called there. */
  wordAt(place: Place): string;
  /** A diagnostic with its code frame. Default of `text` and `fix`: those of the code. */
  diagnose(p: {
    code: DiagnosticCode;
    title: string;
    at: Place | { file: string } | null;
    severity?: "warning";
    text?: string;
    fix?: string;
  }): Diagnostic;
}

export function createProjectFiles(projectDir: string): ProjectFiles {
  const texts = new Map<string, string>();
  const read = (file: string): string => {
    const known = texts.get(file);
    if (known !== undefined) return known;
    const text = readText(join(projectDir, file));
    texts.set(file, text);
    return text;
  };
  return {
    findProperty: (file, name, value) => findProperty(read(file), file, name, value),
    findText: (file, text) => findText(read(file), file, text),
    wordAt: (place) =>
      /^\.?([\w$]*)/.exec((read(place.file).split(/\r?\n/)[place.line - 1] ?? "").slice(place.column - 1))?.[1] ?? "",
    diagnose({ code, title, at, severity, text, fix }) {
      const place = at && "line" in at ? at : null;
      return {
        code,
        severity: severity ?? "error",
        file: at?.file ?? null,
        line: place?.line ?? null,
        column: place?.column ?? null,
        frame: place ? codeFrame(read(place.file), place.line, place.column) : null,
        title,
        text: text ?? diagnosticCodes[code].text,
        fix: fix ?? diagnosticCodes[code].fix,
      };
    },
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function findText(source: string, file: string, text: string): Place | null {
  const at = source.indexOf(text);
  if (at < 0) return null;
  const lines = source.slice(0, at).split(/\r?\n/);
  return { file, line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

function findProperty(source: string, file: string, name: string, value?: unknown): Place | null {
  const lines = source.split(/\r?\n/);
  const property = new RegExp(`(?<![\\w$.])(?:${name}|"${name}")\\s*(?:[:(]|,|$)`);
  const places = lines.flatMap((text, index) => {
    const match = property.exec(text);
    return match ? [{ text, place: { file, line: index + 1, column: match.index + 1 } }] : [];
  });
  const withValue =
    typeof value === "string"
      ? places.find(({ text }) => text.includes(JSON.stringify(value).slice(1, -1)))
      : undefined;
  return (withValue ?? places[0])?.place ?? null;
}

/** The lines around a location, with a marker below it. `line` and `column` start at 1; `null`: no such line. */
function codeFrame(source: string, line: number, column: number): string | null {
  const lines = source.split(/\r?\n/);
  if (line < 1 || line > lines.length) return null;
  const first = Math.max(1, line - linesAround);
  const last = Math.min(lines.length, line + linesAround);
  const width = String(last).length;
  const rows: string[] = [];
  for (let number = first; number <= last; number++) {
    const text = (lines[number - 1] ?? "").replaceAll("\t", " ").slice(0, widest).trimEnd();
    const isLine = number === line;
    rows.push(`${isLine ? ">" : " "} ${String(number).padStart(width)} | ${text}`.trimEnd());
    if (isLine && column <= widest) rows.push(`  ${" ".repeat(width)} | ${" ".repeat(Math.max(0, column - 1))}^`);
  }
  return rows.join("\n");
}
