import type { Trouble } from "./trouble.ts";

/**
 * Of alternatives that all fail, what the one says that was most likely meant: is the value of another kind altogether, how many fixed
 * values differ (they usually say which alternative is meant), how much is wrong, and how near to the surface.
 */
export function nearest(alternatives: readonly Trouble[][], pointer: string): Trouble[] {
  const [first] = alternatives;
  if (!first) return [];
  if (alternatives.every((troubles) => troubles.every((trouble) => trouble.pointer === pointer))) return [together(alternatives, pointer)];
  const discriminator = sharedFixedPlace(alternatives);
  if (discriminator !== undefined) return [together(alternatives.map((troubles) => troubles.filter((trouble) => trouble.pointer === discriminator)), discriminator)];
  return alternatives.reduce((best, troubles) => (isNearer(troubles, best, pointer) ? troubles : best), first);
}

/** A place whose fixed value is another one in each alternative, and none of them. */
function sharedFixedPlace(alternatives: readonly Trouble[][]): string | undefined {
  const [first = []] = alternatives;
  return first.find((trouble) => isFixed(trouble) && alternatives.every((troubles) => troubles.some((other) => isFixed(other) && other.pointer === trouble.pointer)))?.pointer;
}

function isFixed({ code }: Trouble): boolean {
  return code === "const" || code === "enum";
}

export function isNearer(left: readonly Trouble[], right: readonly Trouble[], pointer: string): boolean {
  const [a, b] = [distance(left, pointer), distance(right, pointer)];
  const at = a.findIndex((value, index) => value !== b[index]);
  return at !== -1 && (a[at] ?? 0) < (b[at] ?? 0);
}

function distance(troubles: readonly Trouble[], pointer: string): number[] {
  const ofAnotherKind = troubles.filter((trouble) => trouble.code === "type" && trouble.pointer === pointer).length;
  const otherValues = troubles.filter(({ code }) => code === "const" || code === "enum").length;
  const deepest = troubles.reduce((most, trouble) => Math.max(most, trouble.pointer.length), 0);
  return [ofAnotherKind, otherValues, troubles.length, -deepest];
}

/** No alternative looked inside: say what each would have taken. */
function together(alternatives: readonly Trouble[][], pointer: string): Trouble {
  const messages = [...new Set(alternatives.flatMap((troubles) => troubles.slice(0, 1).map(({ message }) => message)))];
  const areAlike = messages.every((message) => message.startsWith("Must be "));
  const message = areAlike ? messages.map((message, index) => (index === 0 ? message : message.replace("Must be ", ""))).join(" or ") : messages.join(", or ");
  return { pointer, code: messages.length === 1 ? (alternatives[0]?.[0]?.code ?? "union") : "union", message };
}
