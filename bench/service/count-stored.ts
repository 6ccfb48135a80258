import { join } from "node:path";
import Database from "better-sqlite3";

/** The contents of a running service's store: deliveries by outcome, runs by status. */
export function countStored(folder: string, endpoint: string): { accepted: number; runs: Record<string, number> } {
  const db = new Database(join(folder, ".signalbox/signalbox.db"), { readonly: true });
  try {
    const accepted =
      db
        .prepare<[string], number>("SELECT count(*) FROM delivery WHERE endpoint = ? AND outcome = 'accepted'")
        .pluck()
        .get(endpoint) ?? 0;
    const rows = db
      .prepare<[string], { status: string; count: number }>(
        "SELECT status, count(*) AS count FROM run WHERE trigger = ? GROUP BY status",
      )
      .all(endpoint);
    return { accepted, runs: Object.fromEntries(rows.map(({ status, count }) => [status, count])) };
  } finally {
    db.close();
  }
}
