/** The part of an id that somebody has in hand. `kind`: whose id it is, where that is known. */
export interface IdPart {
  kind: "run" | "delivery" | null;
  /** As it begins, with its prefix; `null`: only its end is known. */
  begin: string | null;
  /** The characters that it may end with. */
  end: string;
}

/** Crockford's alphabet of ULIDs. */
const ulidPart = /^[0-9A-HJKMNP-TV-Z]{1,26}$/;
/** Fewer would find ids by chance. */
const fewest = 4;

/**
 * Reads what somebody pasted: a whole id, its beginning, a short id as the app shows it (`run_…9ZR7M4`), or its last
 * characters, in any case. `null` where it cannot be part of an id.
 */
export function readId(text: string): IdPart | null {
  const [, prefix, ellipsis, letters = ""] = /^(?:(run|dlv)_)?(…|\.{2,3})?(\w*)$/i.exec(text.trim()) ?? [];
  const end = letters.toUpperCase();
  if (!ulidPart.test(end)) return null;
  const kind = prefix === undefined ? null : prefix.toLowerCase() === "run" ? "run" : "delivery";
  const begin = prefix !== undefined && ellipsis === undefined ? `${prefix.toLowerCase()}_${end}` : null;
  return begin === null && end.length < fewest ? null : { kind, begin, end };
}
