import type { Position } from "./cursor.ts";
import { pause, type Steps } from "./steps.ts";

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
  /**
   * How many candidates to look at first. The next looks have twice as many, as long as they take no longer than
   * `lookMs`.
   */
  firstLook: number;
  /** Milliseconds that one look may take. */
  lookMs: number;
  /** Milliseconds that all looks together may take. */
  budgetMs: number;
  now: () => number;
}

/** Where looks end early for other reasons than their candidates, doubling would go past every number. */
const mostCandidates = 100_000;

/**
 * Looks through candidates for those that hold, until a page is full, the end is reached or the time is up: then the
 * page is short, and the next goes on after the last candidate. Each look costs at most about twice the one before, so
 * none begins that would not end in time. Between looks there is a pause, whose length does not count.
 */
export function* lookThrough<Row>(p: Search<Row>): Steps<{ rows: Row[]; next: Position | null }> {
  const rows: Row[] = [];
  let after = p.after;
  let spentMs = 0;
  for (let candidates = p.firstLook; ; yield* pause()) {
    const began = p.now();
    const { found, end } = yield* p.look(after, candidates);
    const tookMs = p.now() - began;
    spentMs += tookMs;
    const nextMs = 2 * tookMs > p.lookMs ? tookMs : 2 * tookMs;
    rows.push(...found);
    const last = rows[p.limit - 1];
    if (rows.length > p.limit && last !== undefined) return { rows: rows.slice(0, p.limit), next: p.position(last) };
    if (end === null || spentMs + nextMs > p.budgetMs) return { rows, next: end };
    after = end;
    if (nextMs > tookMs || tookMs === 0) candidates = Math.min(2 * candidates, mostCandidates);
    else if (tookMs > p.lookMs) candidates = Math.max(1, Math.floor((candidates * p.lookMs) / tookMs));
  }
}
