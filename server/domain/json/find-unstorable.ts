import { toPointer } from "../../shared/json/json-pointer.ts";

interface Unstorable {
  /** JSON Pointer of the value. */
  pointer: string;
  /** A predicate: `is a bigint`. */
  why: string;
  /** How to store it. */
  fix: string;
}

interface Place {
  key: string;
  /** `null` for the whole value. */
  inside: Place | null;
}

/** The first value that JSON.stringify cannot represent, in the order in which it visits them; `null` if it finds none. */
export function findUnstorable(value: unknown): Unstorable | null {
  try {
    return visit(value, null, new Map());
  } catch {
    // Nested too deeply, or a getter throws.
    return null;
  }
}

function visit(given: unknown, place: Place | null, parents: Map<object, Place | null>): Unstorable | null {
  const found = (why: string, fix: string) => ({ pointer: pointerOf(place), why, fix });
  let value = given;
  try {
    value = asJson(given, place?.key ?? "");
  } catch (error) {
    if (error instanceof RangeError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    return found(`has a toJSON that throws: ${why}`, "Return plain data.");
  }
  if (typeof value === "bigint") return found("is a bigint", "Return it as a string: String(value).");
  if (typeof value !== "object" || value === null) return null;
  const same = parents.get(value);
  if (same !== undefined)
    return found(
      `is a cycle: it is the same object as ${pointerOf(same) || "the whole value"}`,
      "Return only the fields that you need.",
    );
  parents.set(value, place);
  for (const key of Object.keys(value)) {
    const part = visit(Reflect.get(value, key), { key, inside: place }, parents);
    if (part) return part;
  }
  parents.delete(value);
  return null;
}

function pointerOf(place: Place | null): string {
  const path: string[] = [];
  for (let at = place; at; at = at.inside) path.unshift(at.key);
  return toPointer(path);
}

function asJson(value: unknown, key: string): unknown {
  if ((typeof value !== "object" || value === null) && typeof value !== "bigint") return value;
  const toJson: unknown = Reflect.get(Object(value), "toJSON");
  return typeof toJson === "function" ? Reflect.apply(toJson, value, [key]) : value;
}

const maxDescent = 8;

/**
 * The path of the part that makes a JSON value large: it descends as long as one part has at least half of the whole.
 * `""`: no part does.
 */
export function findLargestPart(value: unknown): { pointer: string; bytes: number } {
  const path: string[] = [];
  const whole = sizeOf(value);
  let largest = { part: value, bytes: whole };
  while (path.length < maxDescent) {
    const { part } = largest;
    if (typeof part !== "object" || part === null) break;
    const parts = Object.entries(part).map(([key, child]) => ({ key, part: child as unknown, bytes: sizeOf(child) }));
    const next = parts.reduce<(typeof parts)[number] | null>(
      (best, one) => (best === null || one.bytes > best.bytes ? one : best),
      null,
    );
    if (!next || next.bytes < whole / 2) break;
    path.push(next.key);
    largest = next;
  }
  return { pointer: toPointer(path), bytes: largest.bytes };
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}
