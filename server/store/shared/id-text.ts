/** Parses a search text for an id: people paste ids in any case, and without their prefix. */
export function readIdText(given: string, prefix: string): { begin: string; end: string; ending: string | null } {
  const text = given.toUpperCase();
  const isBare = !text.startsWith(prefix.toUpperCase());
  const ulid = isBare ? text : text.slice(prefix.length);
  return { begin: `${prefix}${ulid}`, end: `${prefix}${ulid}\u{10ffff}`, ending: isBare ? ulid : null };
}
