/** `Did you mean "x"?` with the nearest known name, or an empty string if none is near. Starts with a space. */
export function didYouMean(given: string, known: readonly string[]): string {
  const nearest = nearestName(given, known);
  return nearest === null ? "" : ` Did you mean "${nearest}"?`;
}

/** The known name that was probably meant; `null` if none is near. */
export function nearestName(given: string, known: readonly string[]): string | null {
  const ranked = known
    .map((name) => ({ name, distance: editDistance(given.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const [nearest] = ranked;
  // A third of the letters may be wrong. A more distant guess misleads more than it helps.
  return nearest && nearest.distance <= Math.max(1, Math.floor(given.length / 3)) ? nearest.name : null;
}

/** The known names most similar to a given name, nearest first. At most three; none if nothing is similar. */
export function nearNames(given: string, known: readonly string[]): string[] {
  const wanted = given.toLowerCase();
  return [...new Set(known)]
    .map((name) => ({ name, distance: editDistance(wanted, name.toLowerCase()) }))
    .filter(
      ({ name, distance }) => distance <= Math.max(1, given.length / 3) || sharesWords(wanted, name.toLowerCase()),
    )
    .sort((one, other) => one.distance - other.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** A name that contains the other or shares a word with it counts as near at any length. */
function sharesWords(given: string, name: string): boolean {
  const words = new Set(given.split(/[-/]/));
  return (
    (given.length > 2 && name.includes(given)) || name.split(/[-/]/).some((word) => word.length > 2 && words.has(word))
  );
}

/** Edits that lead from one to the other: a letter more, less or other, or two swapped. Long strings are truncated. */
function editDistance(from: string, to: string): number {
  const [a, b] = [from.slice(0, 128), to.slice(0, 128)];
  let beforeRow: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? (beforeRow[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(substitution, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    beforeRow = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
