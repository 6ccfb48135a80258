/** What a pattern asks for, where it is one of the few forms that have words. */
export interface PlainPattern {
  kind: "starts" | "ends" | "contains" | "is";
  /** One text; several where the pattern lists choices. */
  texts: string[];
}

/**
 * `^ord_.*` starts with `ord_`; `\@a\.com$` ends with `@a.com`; `^(?:a|b)$` is a or b. Null for real regular
 * expressions.
 */
export function readPattern(pattern: string): PlainPattern | null {
  const isAtStart = pattern.startsWith("^");
  const isAtEnd = /(?:^|[^\\])(?:\\\\)*\$$/.test(pattern);
  const inner = pattern.slice(isAtStart ? 1 : 0, isAtEnd ? -1 : undefined);
  if (isAtStart && isAtEnd) return plain("is", choicesOf(inner));
  if (isAtStart) return plain("starts", [literalOf(inner.replace(/\.\*$/, ""))]);
  if (isAtEnd) return plain("ends", [literalOf(inner.replace(/^\.\*/, ""))]);
  return plain("contains", [literalOf(inner)]);
}

function plain(kind: PlainPattern["kind"], texts: (string | null)[]): PlainPattern | null {
  const known = texts.filter((text) => text !== null && text !== "");
  return known.length > 0 && known.length === texts.length
    ? { kind, texts: known.flatMap((text) => text ?? []) }
    : null;
}

function choicesOf(inner: string): (string | null)[] {
  const group = /^\((?:\?:)?([^()]*)\)$/.exec(inner)?.[1];
  return group === undefined ? [literalOf(inner)] : group.split("|").map(literalOf);
}

/** The literal string that a piece of a pattern matches, if it is a literal. */
function literalOf(piece: string): string | null {
  let text = "";
  for (let at = 0; at < piece.length; at++) {
    let character = piece[at] ?? "";
    if (character === "\\") {
      character = piece[++at] ?? "";
      if (character === "" || /[a-z0-9]/i.test(character)) return null;
    } else if (/[\^$.*+?()[\]{}|]/.test(character)) return null;
    text += character;
  }
  return text;
}
