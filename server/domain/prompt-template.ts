import type { PromptPart } from "../../sdk/definition.ts";

/**
 * Prompt templates: a string with `{{ path }}` placeholders for values of the payload. A path is names and indexes
 * joined by dots. A template contains no code, and inserted values are never parsed as a template. `\{{` is a literal
 * `{{`.
 */
export interface PromptTemplate {
  pieces: readonly (string | TemplatePath)[];
  faults: readonly TemplateFault[];
}

interface TemplatePath {
  path: readonly string[];
  /** As it was written, with its braces. */
  written: string;
}

interface TemplateFault {
  written: string;
  why: string;
}

const pathPattern = /^[\w$-]+(?:\.[\w$-]+)*$/;

export function parsePromptTemplate(text: string): PromptTemplate {
  const pieces: (string | TemplatePath)[] = [];
  const faults: TemplateFault[] = [];
  let rest = text;
  for (;;) {
    const open = /\\?\{\{/.exec(rest);
    if (!open) break;
    if (open.index > 0) pieces.push(rest.slice(0, open.index));
    rest = rest.slice(open.index);
    if (open[0].startsWith("\\")) {
      pieces.push("{{");
      rest = rest.slice(3);
      continue;
    }
    const close = rest.indexOf("}}");
    const written = close < 0 ? rest : rest.slice(0, close + 2);
    const inside = written.slice(2, close < 0 ? undefined : -2).trim();
    if (close < 0) faults.push({ written: written.slice(0, 40), why: "is not closed by }}" });
    else if (pathPattern.test(inside)) pieces.push({ path: inside.split("."), written });
    else
      faults.push({
        written,
        why: inside === "" ? "names nothing" : "is not a path: names joined by dots, and nothing else",
      });
    rest = rest.slice(written.length);
  }
  if (rest !== "") pieces.push(rest);
  return { pieces, faults };
}

/** A missing value becomes empty. An object or an array becomes JSON. */
export function fillTemplate(template: PromptTemplate, value: unknown): PromptPart[] {
  return template.pieces.map((piece) =>
    typeof piece === "string"
      ? { text: piece, path: null }
      : { text: showValue(valueAt(value, piece.path)), path: piece.path.join(".") },
  );
}

/** Reads own fields only, not those that every object inherits. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, name)) return undefined;
    if (Array.isArray(current) && !/^\d+$/.test(name)) return undefined;
    current = Reflect.get(current, name);
  }
  return current;
}

/** A value as it appears in a prompt. */
export function showValue(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
