/** The rank of a name in a search: lower is better; `null` means no match. */
function rankOf(name: string, words: readonly string[]): number | null {
  const text = words.join(" ");
  if (name === text) return 0;
  if (name.startsWith(words.join("-"))) return 1;
  const parts = name.split(/[-/:]/);
  if (words.every((word) => parts.some((part) => part.startsWith(word)))) return 2;
  return words.every((word) => name.includes(word)) ? 3 : null;
}

/**
 * The items whose name contains all words of a text, best first: exact name, prefix, prefixes of its parts, any
 * position.
 */
export function rankNames<Thing>(
  things: readonly Thing[],
  p: { text: string; nameOf: (thing: Thing) => string; limit: number },
): Thing[] {
  const words = p.text
    .toLowerCase()
    .split(/[\s]+/)
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const ranked = things.flatMap((thing) => {
    const name = p.nameOf(thing).toLowerCase();
    const rank = rankOf(name, words);
    return rank === null ? [] : [{ thing, rank, name }];
  });
  ranked.sort((a, b) => a.rank - b.rank || a.name.length - b.name.length || (a.name < b.name ? -1 : 1));
  return ranked.slice(0, p.limit).map(({ thing }) => thing);
}
