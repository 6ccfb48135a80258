import { readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { TraceMap, originalPositionFor, sourceContentFor } from "@jridgewell/trace-mapping";
import type { CodeExcerpt } from "../contract/code-excerpt.ts";
import { excerptLines } from "./excerpt-lines.ts";

/** A place in a file that the user wrote. Line and column start at 1. */
interface SourcePosition {
  /** Path in the project, with `/`. */
  file: string;
  line: number;
  column: number;
}

export interface StackMapper {
  /** Rewrites built positions to the user's own files and lines. */
  mapStack(stack: string): string;
  /** The topmost frame of the stack that lies in the user's own files. */
  locate(stack: string): SourcePosition | null;
  /**
   * The lines around that place as they were built, out of source maps; `null` where no frame lies in the user's own
   * files, packages apart.
   */
  excerptOf(stack: string): CodeExcerpt | null;
}

/** Sources of the SDK are named `signalbox:…` in source maps: they are not the user's. */
const packagePrefix = "signalbox:";

/** Packages that were bundled with the user's code. */
const installed = /(?:^|\/)node_modules\//;

interface Original extends SourcePosition {
  /** The whole source as it was built; `null`: the map does not have it. */
  content(): string | null;
}

/** Maps stacks of modules below `buildDir` by the source maps that lie beside them. */
export function createStackMapper(p: { buildDir: string; projectDir: string }): StackMapper {
  const buildUrl = `${pathToFileURL(realPath(p.buildDir)).href}/`;
  const projectDir = realPath(p.projectDir);
  const projectUrl = `${pathToFileURL(projectDir).href}/`;
  const maps = new Map<string, TraceMap | null>();

  function originalOf(url: string, line: number, column: number): Original | null {
    if (!url.startsWith(buildUrl)) return null;
    const file = fileURLToPath(url.replace(/[?#].*$/, ""));
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

  /** The original of the topmost frame in a file that counts. */
  function firstOf(stack: string, counts: (file: string) => boolean): Original | null {
    for (const [, url = "", line, column] of stack.matchAll(builtPosition)) {
      const original = originalOf(url, Number(line), Number(column));
      if (original && counts(original.file)) return original;
    }
    return null;
  }

  return {
    mapStack(stack) {
      const mapped = stack.replace(builtPosition, (text, url: string, line: string, column: string) => {
        const original = originalOf(url, Number(line), Number(column));
        return original ? `${original.file}:${original.line}:${original.column}` : text;
      });
      // Node says plain paths where it maps stacks by itself (--enable-source-maps).
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

/** URLs encode spaces but no parentheses: those may stand in the name of a folder. */
const builtPosition = /(file:\/\/\S+?):(\d+):(\d+)/g;

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
    // A build without this map: its frames stay as they are.
    return null;
  }
}

function nameSource(source: string, builtFile: string, projectDir: string): string {
  if (source.startsWith(packagePrefix)) return source;
  return relative(projectDir, join(dirname(builtFile), source))
    .split(sep)
    .join("/");
}
