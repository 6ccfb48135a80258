import { posix } from "node:path";
import type { StepCall } from "../../../server/contract/project/manifest.ts";
import type { BundledFile } from "./bundle.ts";

/** The start of a module's import of another file of the bundle. esbuild writes strings with double quotes. */
const imported = /\b(?:from|import)\s*"(\.[^"]+)"/g;

const kinds = {
  step: "step",
  sleep: "sleep",
  sleepUntil: "sleep",
  waitFor: "event",
  waitForAny: "event",
  call: "child",
  start: "child",
} as const;

/** A call whose first argument begins with a literal: also of a destructured `step`. */
const call =
  /\b(step|sleep|sleepUntil|waitFor|waitForAny|call|start)\(\s*("(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.)*`)\s*[,)]/g;

/**
 * Finds the calls of `ctx.step`, `ctx.sleep`, `ctx.sleepUntil`, `ctx.waitFor`, `ctx.waitForAny`, `ctx.call` and
 * `ctx.start` in a module and the files that it imports. Names that the code computes are not found. The result is for
 * comparisons of two builds: other functions of these names do no harm there.
 */
export function createStepFinder(files: readonly BundledFile[]): (module: string) => StepCall[] {
  const texts = new Map(
    files.filter(({ path }) => path.endsWith(".mjs")).map(({ path, contents }) => [path, contents]),
  );
  const parsed = new Map<string, { imports: string[]; calls: StepCall[] }>();

  function parse(path: string) {
    const known = parsed.get(path);
    if (known) return known;
    const text = Buffer.from(texts.get(path) ?? []).toString();
    const imports = [...text.matchAll(imported)].map(([, to = ""]) => posix.join(posix.dirname(path), to));
    const calls = [...text.matchAll(call)].flatMap(([, kind, literal = ""]): StepCall[] => {
      const name = readLiteral(literal);
      return name === null || !isKind(kind) ? [] : [{ kind: kinds[kind], name }];
    });
    parsed.set(path, { imports, calls });
    return { imports, calls };
  }

  return (module) => {
    const found = new Map<string, StepCall>();
    const visited = new Set<string>();
    const pending = [module];
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      if (visited.has(path)) continue;
      visited.add(path);
      const { imports, calls } = parse(path);
      for (const one of calls) found.set(`${one.kind} ${one.name}`, one);
      pending.push(...imports);
    }
    return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  };
}

function isKind(call: string | undefined): call is keyof typeof kinds {
  return call !== undefined && Object.hasOwn(kinds, call);
}

/** `null`: it has an escape that JSON does not have. */
function readLiteral(literal: string): string | null {
  if (literal.startsWith("`")) return literal.includes("\\") ? null : literal.slice(1, -1);
  try {
    return String(JSON.parse(literal));
  } catch {
    return null;
  }
}
