import type { Session } from "./session.ts";

/** More than are under way at any time. */
const looked = 1_000;

/**
 * Every change of a run adds to its timeline. Ids are given before the commit, and a lower one may be committed after a
 * higher: so it is not only looked how far the ids go, but also how many of the last there are.
 */
const markSql = `
  SELECT e.ends AS entries, d.ends AS deliveries, p.ends AS presets, s.ends AS switches FROM
    (SELECT concat(max(id), ' ', count(*)) AS ends FROM run_event WHERE id > (SELECT max(id) FROM run_event) - ${looked}) AS e,
    (SELECT concat(max(position), ' ', count(*)) AS ends FROM delivery WHERE position > (SELECT max(position) FROM delivery) - ${looked}) AS d,
    (SELECT concat(max(id), ' ', count(*)) AS ends FROM preset) AS p,
    (SELECT max(revision) AS ends FROM trigger_switch) AS s`;

export async function readMark(session: Session): Promise<string> {
  return JSON.stringify(await session.rows(markSql));
}
