/** Crockford's alphabet of ULIDs. */
const letters = /^[0-9A-HJKMNP-TV-Z]+$/;

/**
 * The part of an id in what somebody pasted: a whole id, its beginning, a short id as the app shows it (`run_…9ZR7M4`), or its last
 * characters, in any case. `null` where it cannot be one: at least four characters, so that a word does not find ids by chance.
 */
export function readId(text: string): string | null {
  const given = text.trim();
  const [, prefix = "", ellipsis = "", end = ""] = /^(?:(run|dlv)_)?(…|\.{2,3})?([0-9a-z]*)$/i.exec(given) ?? [];
  const ulid = end.toUpperCase();
  if (ulid.length > 26 || (ulid !== "" && !letters.test(ulid))) return null;
  if (ellipsis !== "" || prefix === "") return ulid.length >= 4 ? ulid : null;
  return ulid.length >= 1 ? `${prefix.toLowerCase()}_${ulid}` : null;
}
