/** A partial id. `kind` is the kind of its resource, if known. */
export interface IdPart {
  kind: "run" | "delivery" | null;
  /** The beginning of the id with its prefix; `null` if only its end is known. */
  begin: string | null;
  /** The possible ending of the id. */
  end: string;
}

/** Crockford's alphabet of ULIDs. */
const ulidPart = /^[0-9A-HJKMNP-TV-Z]{1,26}$/;
/** Fewer characters would match ids by chance. */
const minChars = 4;

/**
 * Parses a pasted id: a complete id, its beginning, a short id as shown in the app (`run_…9ZR7M4`), or its last
 * characters, in upper or lower case. `null` if the text cannot be part of an id.
 */
export function readId(text: string): IdPart | null {
  const [, prefix, ellipsis, letters = ""] = /^(?:(run|dlv)_)?(…|\.{2,3})?(\w*)$/i.exec(text.trim()) ?? [];
  const end = letters.toUpperCase();
  if (!ulidPart.test(end)) return null;
  const kind = prefix === undefined ? null : prefix.toLowerCase() === "run" ? "run" : "delivery";
  const begin = prefix !== undefined && ellipsis === undefined ? `${prefix.toLowerCase()}_${end}` : null;
  return begin === null && end.length < minChars ? null : { kind, begin, end };
}
