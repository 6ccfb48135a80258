import type { Position } from "./cursor.ts";
import type { Steps } from "./steps.ts";

/** What a look at the next candidates gave. */
interface Look<Row> {
  /** Those that hold, newest first; at most one more than a page shows. */
  found: Row[];
  /** The last candidate of the look; `null` where there is none after it. */
  end: Position | null;
}

interface Search<Row> {
  limit: number;
  after: Position | null;
  look: (after: Position | null, candidates: number) => Steps<Look<Row>>;
  position: (row: Row) => Position;
  /** How many candidates to look at first; each look has twice as many as the one before. */
  firstLook: number;
  /** Milliseconds that may pass. */
  budgetMs: number;
  now: () => number;
}

/** Where looks end early for other reasons than their candidates, doubling would go past every number. */
const mostCandidates = 100_000;

/**
 * Looks through candidates for those that hold, until a page is full, the end is reached or the time is up: then the page is short,
 * and the next goes on after the last candidate. Each look costs about twice the one before, so none begins that would not end in time.
 */
export function* lookThrough<Row>(p: Search<Row>): Steps<{ rows: Row[]; next: Position | null }> {
  const began = p.now();
  const rows: Row[] = [];
  let after = p.after;
  for (let candidates = p.firstLook; ; candidates = Math.min(2 * candidates, mostCandidates)) {
    const { found, end } = yield* p.look(after, candidates);
    rows.push(...found);
    const last = rows[p.limit - 1];
    if (rows.length > p.limit && last !== undefined) return { rows: rows.slice(0, p.limit), next: p.position(last) };
    if (end === null || (p.now() - began) * 3 > p.budgetMs) return { rows, next: end };
    after = end;
  }
}
