/**
 * Checks a log of `strace -y`: everything that was written to the store's log before a 202 must be flushed to disk
 * before the 202 is sent. Lines of one thread, in their order.
 */
export type AnswerOrder = "durable" | "too early" | "no answer";

export function checkAnswer(lines: readonly string[]): AnswerOrder {
  const answer = lines.findIndex((line) => line.includes("HTTP/1.1 202"));
  if (answer < 0) return "no answer";
  const before = lines.slice(0, answer);
  const written = before.findLastIndex((line) => /\bpwrite64\(\d+<[^>]*-wal>/.test(line));
  const synced = before.findLastIndex((line) => /\bf(?:data)?sync\(\d+<[^>]*-wal>.*= 0$/.test(line));
  return written >= 0 && synced > written ? "durable" : "too early";
}
