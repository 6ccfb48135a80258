import { originalPositionFor, sourceContentFor, TraceMap } from "@jridgewell/trace-mapping";
import { readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { CodeExcerpt } from "../contract/timeline.ts";

const around = 3;
const maxLineChars = 200;

/** A position in a project file. Line and column start at 1. */
interface SourcePosition {
  /** Path in the project, with `/`. */
  file: string;
  line: number;
  column: number;
}

export interface StackMapper {
  /** Maps built positions to the project's files and lines. */
  mapStack(stack: string): string;
  /** The topmost stack frame in the project's files. */
  locate(stack: string): SourcePosition | null;
  /**
   * The lines around that position as built, from source maps; `null` if no frame is in the project's files (packages
   * excluded).
   */
  excerptOf(stack: string): CodeExcerpt | null;
}

/** Source maps name sources of the SDK `signalbox:…`: they are not project files. */
const packagePrefix = "signalbox:";

/** Packages bundled with the project's code. */
const installed = /(?:^|\/)node_modules\//;

interface Original extends SourcePosition {
  /** The complete source as built; `null` if the map does not contain it. */
  content(): string | null;
}

/** Maps stacks of modules below `buildDir` with the source maps beside them. */
export function createStackMapper(p: { buildDir: string; projectDir: string }): StackMapper {
  const buildUrl = `${pathToFileURL(realPath(p.buildDir)).href}/`;
  const projectDir = realPath(p.projectDir);
  const projectUrl = `${pathToFileURL(projectDir).href}/`;
  const maps = new Map<string, TraceMap | null>();

  function originalOf(url: string, line: number, column: number): Original | null {
    if (!url.startsWith(buildUrl)) return null;
    const file = fileURLToPath(url.split(/[?#]/, 1)[0] ?? "");
    if (!maps.has(file)) maps.set(file, readMap(file));
    const map = maps.get(file);
    if (!map) return null;
    const original = originalPositionFor(map, { line, column: Math.max(0, column - 1) });
    const { source } = original;
    if (source === null) return null;
    return {
      file: nameSource(source, file, projectDir),
      line: original.line,
      column: original.column + 1,
      content: () => sourceContentFor(map, source),
    };
  }

  /** The original position of the topmost frame in a relevant file. */
  function firstOf(stack: string, counts: (file: string) => boolean): Original | null {
    for (const [text] of stack.matchAll(fileUrl)) {
      const [, url = "", line, column] = position.exec(text) ?? [];
      const original = originalOf(url, Number(line), Number(column));
      if (original && counts(original.file)) return original;
    }
    return null;
  }

  return {
    mapStack(stack) {
      const mapped = stack.replaceAll(fileUrl, (text) => {
        const [found = "", url = "", line, column] = position.exec(text) ?? [];
        const original = originalOf(url, Number(line), Number(column));
        return original ? `${original.file}:${original.line}:${original.column}${text.slice(found.length)}` : text;
      });
      // Node prints plain paths if it maps stacks itself (--enable-source-maps).
      return mapped
        .replaceAll(projectUrl, "")
        .replaceAll(`(${projectDir}${sep}`, "(")
        .replaceAll(`at ${projectDir}${sep}`, "at ");
    },
    locate(stack) {
      const original = firstOf(stack, (file) => !file.startsWith(packagePrefix));
      return original && { file: original.file, line: original.line, column: original.column };
    },
    excerptOf(stack) {
      const original = firstOf(stack, (file) => !file.startsWith(packagePrefix) && !installed.test(file));
      const content = original?.content();
      if (!original || typeof content !== "string") return null;
      const { file, line, column } = original;
      return { file, line, column, lines: excerptLines(content, line) };
    },
  };
}

/** URLs encode spaces but not parentheses, which can occur in folder names. */
const fileUrl = /file:\/\/\S+/g;
const position = /^(.*?):(\d+):(\d+)/;

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function readMap(file: string): TraceMap | null {
  try {
    return new TraceMap(readFileSync(`${file}.map`, "utf8"));
  } catch {
    // The build has no such map: its frames stay unchanged.
    return null;
  }
}

function nameSource(source: string, builtFile: string, projectDir: string): string {
  if (source.startsWith(packagePrefix)) return source;
  return relative(projectDir, join(dirname(builtFile), source))
    .split(sep)
    .join("/");
}

/** The lines around a line of a source; long ones are cut. Empty if the source has no such line. */
export function excerptLines(source: string, line: number): CodeExcerpt["lines"] {
  const lines = source.split(/\r\n|\r|\n/);
  if (line < 1 || line > lines.length) return [];
  const first = Math.max(1, line - around);
  return lines.slice(first - 1, line + around).map((text, index) => ({
    number: first + index,
    text: text.length > maxLineChars ? `${text.slice(0, maxLineChars)}…` : text,
  }));
}

/** Maps a stack of any kept build to the project's files and lines, for a process that has not loaded the code. */
export async function mapBuiltStack(stateDir: string, stack: string): Promise<string> {
  return createStackMapper({ buildDir: join(stateDir, "builds"), projectDir: dirname(stateDir) }).mapStack(stack);
}
