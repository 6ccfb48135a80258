import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type DiagnosticCode, diagnosticCodes } from "./diagnostics/diagnostic-codes.ts";
import type { Diagnostic } from "./diagnostics/diagnostic.ts";

const contextLines = 2;
const maxColumns = 160;

export interface SourceLocation {
  file: string;
  line: number;
  column: number;
}

/** The user's files, for diagnostics. Each file is read once. */
export interface ProjectFiles {
  /** The folder of the project. */
  projectDir: string;
  /** The location of a property such as `slug:` in a file, with this string value if one is given; `null`: not found. */
  findProperty(file: string, name: string, value?: unknown): SourceLocation | null;
  /**
   * The location of a property inside other properties, the outermost first; of the last one that is found. `null`: the
   * first one is not found.
   */
  findPath(file: string, names: readonly string[]): SourceLocation | null;
  /** The first location of a string in a file; `null`: not found. */
  findText(file: string, text: string): SourceLocation | null;
  /** The word at a location, e.g. the name of the method that is called there. */
  wordAt(location: SourceLocation): string;
  /** The specifier of the import or export that a location is in; `null`: there is none. */
  specifierAt(location: SourceLocation): string | null;
  /** A diagnostic with its code frame. Default of `text` and `fix`: those of the code. */
  diagnose(finding: {
    code: DiagnosticCode;
    title: string;
    at: SourceLocation | { file: string } | null;
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
    projectDir,
    findProperty: (file, name, value) => findProperty(read(file), file, name, value),
    findPath: (file, names) => findPath(read(file), file, names),
    findText: (file, text) => findText(read(file), file, text),
    wordAt: (location) =>
      /^\.?([\w$]*)/.exec(
        (read(location.file).split(/\r?\n/)[location.line - 1] ?? "").slice(location.column - 1),
      )?.[1] ?? "",
    specifierAt: (location) => specifierAt(read(location.file), location),
    diagnose({ code, title, at, severity, text, fix }) {
      const location = at && "line" in at ? at : null;
      return {
        code,
        severity: severity ?? "error",
        file: at?.file ?? null,
        line: location?.line ?? null,
        column: location?.column ?? null,
        frame: location ? codeFrame(read(location.file), location.line, location.column) : null,
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

function findText(source: string, file: string, text: string): SourceLocation | null {
  const at = source.indexOf(text);
  return at < 0 ? null : locationAt(source, file, at);
}

function specifierAt(source: string, { line, column }: SourceLocation): string | null {
  const [first = "", ...others] = source.split(/\r?\n/).slice(line - 1);
  const rest = [first.slice(column - 1), ...others].join("\n");
  return /(?<![\w$.])from\s*(["'])(.+?)\1/.exec(rest)?.[2] ?? null;
}

function locationAt(source: string, file: string, at: number): SourceLocation {
  const lines = source.slice(0, at).split(/\r?\n/);
  return { file, line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

function propertyPattern(name: string): RegExp {
  const escaped = name.replaceAll(/[^\w-]/g, "\\$&");
  return new RegExp(`(?<![\\w$.])(?:${escaped}|"${escaped}")\\s*(?:[:(]|,|$)`, "m");
}

/** Each property begins behind the one that contains it. */
function findPath(source: string, file: string, names: readonly string[]): SourceLocation | null {
  let found: number | null = null;
  for (const name of names) {
    const from: number = found === null ? 0 : found + 1;
    const match = propertyPattern(name).exec(source.slice(from));
    if (!match) break;
    found = from + match.index;
  }
  return found === null ? null : locationAt(source, file, found);
}

function findProperty(source: string, file: string, name: string, value?: unknown): SourceLocation | null {
  const lines = source.split(/\r?\n/);
  const property = propertyPattern(name);
  const locations = lines.flatMap((text, index) => {
    const match = property.exec(text);
    return match ? [{ text, location: { file, line: index + 1, column: match.index + 1 } }] : [];
  });
  const withValue =
    typeof value === "string"
      ? locations.find(({ text }) => text.includes(JSON.stringify(value).slice(1, -1)))
      : undefined;
  return (withValue ?? locations[0])?.location ?? null;
}

/** The lines around a location, with a marker below it. `line` and `column` start at 1; `null`: no such line. */
function codeFrame(source: string, line: number, column: number): string | null {
  const lines = source.split(/\r?\n/);
  if (line < 1 || line > lines.length) return null;
  const first = Math.max(1, line - contextLines);
  const last = Math.min(lines.length, line + contextLines);
  const width = String(last).length;
  const rows: string[] = [];
  for (let number = first; number <= last; number++) {
    const text = (lines[number - 1] ?? "").replaceAll("\t", " ").slice(0, maxColumns).trimEnd();
    const isLine = number === line;
    rows.push(`${isLine ? ">" : " "} ${String(number).padStart(width)} | ${text}`.trimEnd());
    if (isLine && column <= maxColumns) rows.push(`  ${" ".repeat(width)} | ${" ".repeat(Math.max(0, column - 1))}^`);
  }
  return rows.join("\n");
}

/** The user's files with definitions, by folder: paths in the project with `/`, sorted. */
export interface DiscoveredFiles {
  triggers: string[];
  workflows: string[];
  agents: string[];
}

export async function discover(projectDir: string): Promise<DiscoveredFiles> {
  const [triggers, workflows, agents] = await Promise.all([
    listDefinitions(projectDir, "triggers"),
    listDefinitions(projectDir, "workflows"),
    listDefinitions(projectDir, "agents"),
  ]);
  return { triggers, workflows, agents };
}

async function listDefinitions(projectDir: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(projectDir, folder), { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
      throw error;
    },
  );
  const files: string[] = [];
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (isHelper(entry.name)) continue;
    if (entry.isDirectory()) files.push(...(await listDefinitions(projectDir, path)));
    else if (isDefinition(entry.name)) files.push(path);
  }
  return files.sort();
}

/** Ignores names that start with `_` or `.`, and folders of tests and packages. */
function isHelper(name: string): boolean {
  return name.startsWith("_") || name.startsWith(".") || name === "node_modules";
}

function isDefinition(name: string): boolean {
  return /\.(?:tsx?|mts|m?js)$/.test(name) && !/\.(?:test|spec|d)\.\w+$/.test(name);
}
