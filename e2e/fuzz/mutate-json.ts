import type { Draw } from "./draw.ts";

/** Values of wrong types, at limits, and with meaning for some code. As JSON. */
const oddValues: readonly string[] = [
  "null",
  "true",
  "-0",
  "0.1e-400",
  "1e400",
  "9007199254740993",
  "1".repeat(400),
  `-0.${"3".repeat(2_000)}`,
  '""',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\u202e\\ufeff"',
  '"constructor"',
  '"__proto__"',
  '"2026-02-30T25:61:00Z"',
  '"-271821-04-20T00:00:00.000Z"',
  "[]",
  "{}",
  "[[[[[]]]]]",
  '{"__proto__":{"name":"Ada"}}',
  '{"constructor":{"prototype":1}}',
  '{"toString":1,"valueOf":2,"then":3,"toJSON":4,"length":5}',
  '{"a":1,"a":2}',
  '{"":""}',
];

/** Values that are large. */
const largeValues: readonly ((draw: Draw) => string)[] = [
  (draw) => `"${"x".repeat(draw.between(1_000, 300_000))}"`,
  (draw) => `"${"\\u00e9".repeat(draw.between(100, 20_000))}"`,
  (draw) => nest("[", "]", draw.between(50, 600)),
  (draw) => nest('{"a":', "}", draw.between(50, 600)),
  (draw) => `[${Array.from({ length: draw.between(100, 20_000) }, () => "{}").join()}]`,
  (draw) => `{${Array.from({ length: draw.between(100, 5_000) }, (_, n) => `"k${n}":${n}`).join()}}`,
];

function nest(begin: string, end: string, depth: number): string {
  return begin.repeat(depth) + "1" + end.repeat(depth);
}

const marker = "\u{1f9ea}fuzz";

/** One change of a JSON text. */
export function mutateJson(draw: Draw, text: string): string {
  const kind = draw.between(0, 9);
  if (kind < 7) {
    const value = parse(text);
    if (value !== undefined) return changeTree(draw, value);
  }
  return changeText(draw, text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Replaces, removes, repeats or renames a node. */
function changeTree(draw: Draw, root: unknown): string {
  const odd = draw.chance(0.75) ? draw.pick(oddValues) : draw.pick(largeValues)(draw);
  const holders = listHolders(root);
  if (holders.length === 0) return odd;
  const holder = draw.pick(holders);
  const keys = Object.keys(holder);
  const key = keys.length > 0 ? draw.pick(keys) : "added";
  const change = draw.between(0, 9);
  const node: unknown = Reflect.get(holder, key);
  if (change === 0) Reflect.deleteProperty(holder, key);
  else if (change === 1) {
    Reflect.deleteProperty(holder, key);
    define(
      holder,
      draw.pick(["", "__proto__", "constructor", "\ud800", "\0", `${key} `, key.toUpperCase(), "~1/", "a.b"]),
      node,
    );
  } else if (change === 2)
    Reflect.set(
      holder,
      key,
      Array.from({ length: draw.between(2, 200) }, () => node),
    );
  else if (change === 3) define(holder, draw.pick(["extra", "__proto__", "0", "length"]), marker);
  else Reflect.set(holder, key, marker);
  return JSON.stringify(root).replace(JSON.stringify(marker), () => odd);
}

function define(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, Array.isArray(holder) ? "0" : key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** The objects and arrays in a value, a limited number of them. */
function listHolders(root: unknown): object[] {
  const found: object[] = [];
  const waiting: unknown[] = [root];
  while (waiting.length > 0 && found.length < 500) {
    const next = waiting.shift();
    if (typeof next !== "object" || next === null) continue;
    found.push(next);
    waiting.push(...Object.values(next));
  }
  return found;
}

function changeText(draw: Draw, text: string): string {
  const at = draw.between(0, text.length);
  const piece = draw.pick([
    "{",
    "}",
    "[",
    "]",
    '"',
    ",",
    ":",
    "\\",
    "\0",
    "\n",
    "\u2028",
    "//",
    "NaN",
    "\ufeff",
    "1e",
    "\\u12",
    "'",
    "\t",
  ]);
  switch (draw.between(0, 5)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + piece + text.slice(at);
    case 2:
      return text.slice(0, at) + text.slice(at + draw.between(1, 20));
    case 3:
      return text + piece;
    case 4:
      return piece + text;
    default:
      return text + text;
  }
}
