/** Issues that are already open. A real project would query GitHub. */
const openIssues = [
  { number: 1042, title: "The app crashes when a file name has an emoji in it" },
  { number: 1057, title: "Webhooks are sent twice after a restart" },
  { number: 1063, title: "README names an option that is gone" },
  { number: 1071, title: "Sign-in fails with long passwords" },
];

/**
 * Finds open issues that share words with a text, the most similar first. `likeness` is the share of an issue's words
 * in the text, from 0 to 1.
 */
export function findSimilar(text: string) {
  const words = wordsOf(text);
  return openIssues
    .map((issue) => ({ ...issue, likeness: share(wordsOf(issue.title), words) }))
    .filter(({ likeness }) => likeness > 0)
    .toSorted((a, b) => b.likeness - a.likeness);
}

function share(words: Set<string>, others: Set<string>): number {
  const common = [...words].filter((word) => others.has(word));
  return Math.round((100 * common.length) / words.size) / 100;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\d]{4,}/gu));
}
