import { join } from "node:path";
import { openStored } from "../../scripts/open-stored.ts";

/** The contents of a running service's store: deliveries by outcome, runs by status. */
export function countStored(folder: string, endpoint: string): { accepted: number; runs: Record<string, number> } {
  const db = openStored(join(folder, ".signalbox/signalbox.db"));
  try {
    const accepted =
      db
        .prepare<[string], number>("SELECT count(*) FROM stored_delivery WHERE endpoint = ? AND outcome = 'accepted'")
        .pluck()
        .get(endpoint) ?? 0;
    const rows = db
      .prepare<[string], { status: string; count: number }>(
        "SELECT status, count(*) AS count FROM stored_run WHERE trigger = ? GROUP BY status",
      )
      .all(endpoint);
    return { accepted, runs: Object.fromEntries(rows.map(({ status, count }) => [status, count])) };
  } finally {
    db.close();
  }
}
