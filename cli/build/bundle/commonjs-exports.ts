import { readFileSync } from "node:fs";
import { createRequire, findPackageJSON } from "node:module";
import { extname } from "node:path";
import { initSync, parse } from "cjs-module-lexer";
import { z } from "zod";

const packageSchema = z.object({ type: z.string().optional() });

/**
 * The names that Node gives a namespace import (`import * as a`) of a CommonJS file, besides `default`: those that it
 * finds in the text, with the same parser. `null`: the file is an ES module or no JavaScript.
 */
export function readCommonJsExports(file: string): ReadonlySet<string> | null {
  if (![".js", ".cjs", ""].includes(extname(file)) || isModule(file)) return null;
  initSync();
  const names = new Set<string>();
  const visited = new Set<string>();
  const pending = [file];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (visited.has(path)) continue;
    visited.add(path);
    try {
      const { exports, reexports } = parse(readFileSync(path, "utf8"));
      for (const name of exports) names.add(name);
      const { resolve } = createRequire(path);
      pending.push(...reexports.map((specifier) => resolve(specifier)));
    } catch {
      // An ES module in spite of its name, or a file that is not there: the names are unknown.
      return null;
    }
  }
  return names;
}

function isModule(file: string): boolean {
  const manifest = extname(file) === ".cjs" ? undefined : findPackageJSON(".", file);
  return manifest !== undefined && packageSchema.parse(JSON.parse(readFileSync(manifest, "utf8"))).type === "module";
}
