/** The known names that were probably meant, nearest first: at most three, and none where nothing is near. */
export function nearNames(given: string, known: readonly string[]): string[] {
  const wanted = given.toLowerCase();
  return [...new Set(known)]
    .map((name) => ({ name, distance: distanceOf(wanted, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, given.length / 2))
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** A name that holds the other, or shares a word with it, is near however long it is. */
function distanceOf(given: string, name: string): number {
  if (name.includes(given) || given.includes(name)) return 1;
  const words = new Set(given.split(/[-/]/));
  const shared = name.split(/[-/]/).filter((word) => word.length > 2 && words.has(word)).length;
  return Math.max(1, editDistance(given, name) - shared * 4);
}

function editDistance(from: string, to: string): number {
  const [a, b] = [from.slice(0, 64), to.slice(0, 64)];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
