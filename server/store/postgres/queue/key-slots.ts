import {
  type JoiningRun,
  joinKey,
  keyLimitOf,
  type KeySlot,
  type KeyState,
  noSlot,
  notDueAt,
  passesSlot,
  type RunKey,
  type RunSlot,
  takesOver,
} from "../../../domain/runs/key-slots.ts";
import type { ConcurrencyLimits } from "../../../domain/runs/run-limits.ts";
import type { Session } from "../connection/session.ts";
import { looksUp } from "../statements/look-up.ts";

/*
 * Locks are taken in this order: the rows of runs that can have a slot, then keys, then the rows of runs that wait for
 * a slot. A transaction that has locked the row of a waiting run locks no key afterwards. So no two transactions wait
 * for each other.
 */

const lockKeysSql = `
  SELECT pg_advisory_xact_lock(number) FROM (
    SELECT DISTINCT hashtextextended('signalbox key ' || target || chr(1) || key, 0) AS number FROM unnest($1::text[], $2::text[]) AS t (target, key) ORDER BY number
  ) AS sorted`;

/** Excludes other transactions that give the slots of these keys. So runs have the order of the commits. */
export async function lockRunKeys(session: Session, keys: readonly RunKey[]): Promise<void> {
  if (keys.length > 0) await session.rows(lockKeysSql, [keys.map(({ target }) => target), keys.map(({ key }) => key)]);
}

const ofKeySql = "key_slot IS NOT NULL AND run.target = t.target AND run.run_key = t.key";

/** The last entry of a key is a run that waits, if there is one. A run waits only if all slots are taken. */
const keyStatesSql = `
  SELECT CASE last.key_slot WHEN 'waiting' THEN t.per_key ELSE (
      SELECT count(*) FROM (SELECT 1 FROM signalbox.run WHERE last.key_slot IS NOT NULL AND ${ofKeySql} AND key_slot IN ('taken', 'surplus') LIMIT t.per_key) AS slots
    ) END AS taken, CASE last.key_slot WHEN 'waiting' THEN last.key_order ELSE 0 END AS "lastOrder"
  FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS t (target, key, per_key, n)
    LEFT JOIN LATERAL (
      SELECT key_slot, key_order FROM signalbox.run WHERE ${ofKeySql} ORDER BY key_slot DESC, key_order DESC LIMIT 1
    ) AS last ON true
  ORDER BY n`;

type LimitedKey = RunKey & { perKey: number };

/** The slots of more runs of these keys, in this order. */
async function join(session: Session, runs: readonly LimitedKey[]): Promise<RunSlot[]> {
  if (runs.length === 0) return [];
  await lockRunKeys(session, runs);
  const keys = [...new Map(runs.map((run) => [nameOf(run), run])).values()];
  const found = await session.rows<KeyState>(keyStatesSql, [
    keys.map(({ target }) => target),
    keys.map(({ key }) => key),
    keys.map(({ perKey }) => perKey),
  ]);
  const states = new Map(keys.map((key, at) => [nameOf(key), found[at] ?? { taken: 0, lastOrder: 0 }]));
  return runs.map((run) => {
    const { slot, after } = joinKey(states.get(nameOf(run)) ?? { taken: 0, lastOrder: 0 }, run.perKey);
    states.set(nameOf(run), after);
    return slot;
  });
}

const nameOf = ({ target, key }: RunKey): string => JSON.stringify([target, key]);

/** Whether the slot of the run depends on others. */
export const needsKeySlot = (run: JoiningRun): boolean => keyLimitOf(run) !== null || typeof run.replayOf === "string";

/** The slots of runs that are about to be queued or assigned. A replay takes over the slot of a run that blocks its key. */
export async function assignKeySlots(session: Session, runs: readonly JoiningRun[]): Promise<RunSlot[]> {
  if (!runs.some(needsKeySlot)) return runs.map(() => noSlot);
  const replayed = await lockBlocking(session, runs);
  const slots = new Map<JoiningRun, RunSlot>();
  const joining: { run: JoiningRun; joins: LimitedKey }[] = [];
  const left: LeftSlot[] = [];
  for (const run of runs) {
    const { replayOf, createdAt: now } = run;
    const limit = keyLimitOf(run);
    const old = typeof replayOf === "string" ? replayed.get(replayOf) : undefined;
    // Of several replays, the first one takes over.
    if (old) replayed.delete(old.id);
    if (old && takesOver(limit, old)) {
      slots.set(run, { keySlot: old.from, keyOrder: null });
      left.push({ ...old, to: null, now, isTakenOver: true });
      continue;
    }
    if (old) left.push({ ...old, to: null, now });
    if (!limit) continue;
    if (run.assignment) slots.set(run, { keySlot: "taken", keyOrder: null });
    else joining.push({ run, joins: limit });
  }
  await lockRunKeys(session, [...joining.map(({ joins }) => joins), ...left]);
  await changeSlots(session, left);
  const joined = await join(
    session,
    joining.map(({ joins }) => joins),
  );
  for (const [at, { run }] of joining.entries()) slots.set(run, joined[at] ?? noSlot);
  return runs.map((run) => slots.get(run) ?? noSlot);
}

/** Without a limit. */
const maxSlots = Number.MAX_SAFE_INTEGER;

interface SlottedRun extends RunKey {
  id: string;
  from: KeySlot;
}

const blockingSql =
  'SELECT id, target, run_key AS key, key_slot AS "from" FROM signalbox.run WHERE id = ANY($1::text[]) AND key_slot IS NOT NULL AND finished_at IS NOT NULL ORDER BY id FOR NO KEY UPDATE';

/** The runs with a slot that these replay. */
async function lockBlocking(session: Session, runs: readonly JoiningRun[]): Promise<Map<string, SlottedRun>> {
  const ids = runs.flatMap(({ replayOf }) => replayOf ?? []);
  if (ids.length === 0) return new Map();
  return new Map((await session.rows<SlottedRun>(blockingSql, [ids])).map((row) => [row.id, row]));
}

/** A run whose row is locked, and its new slot. */
export interface LeftSlot extends SlottedRun {
  to: KeySlot | null;
  now: number;
  /** A replay has its slot already. */
  isTakenOver?: boolean;
}

const setSlotsSql = `
  UPDATE signalbox.run SET key_slot = p.slot, key_order = NULL FROM unnest($1::text[], $2::text[]) AS p (id, slot) WHERE ${looksUp("run.id", "p.id")}`;

/** Runs beyond a lowered limit come first. One whose row is locked may be about to end. */
const keepSurplusSql = `
  UPDATE signalbox.run SET key_slot = 'taken' WHERE id IN (
    SELECT next.id FROM unnest($1::text[], $2::text[], $3::bigint[]) AS t (target, key, slots) CROSS JOIN LATERAL (
      SELECT id FROM signalbox.run WHERE ${ofKeySql} AND key_slot = 'surplus' LIMIT t.slots FOR NO KEY UPDATE SKIP LOCKED
    ) AS next
  ) RETURNING target, run_key AS key`;

/** Locks the runs that get the slots that became free: those that have waited longest. */
const nextOfKeysSql = `
  SELECT next.id, t.target, t.key FROM unnest($1::text[], $2::text[], $3::bigint[]) AS t (target, key, slots) CROSS JOIN LATERAL (
    SELECT id FROM signalbox.run WHERE ${ofKeySql} AND key_slot = 'waiting' ORDER BY key_order LIMIT t.slots FOR NO KEY UPDATE
  ) AS next`;

/** Their time in the queue begins now, so the keys of a target take turns. */
const giveSlotsSql = `
  UPDATE signalbox.run SET key_slot = 'taken', key_order = NULL, available_at = $2 FROM unnest($1::text[]) AS p (id) WHERE ${looksUp("run.id", "p.id")}`;

/** Changes the slots of runs. Those that are given up go to the next runs of their keys. */
export async function changeSlots(session: Session, runs: readonly LeftSlot[]): Promise<void> {
  if (runs.length === 0) return;
  await session.change(setSlotsSql, [runs.map(({ id }) => id), runs.map(({ to }) => to)]);
  const freed = runs.filter(({ from, to, isTakenOver }) => !isTakenOver && passesSlot(from, to));
  if (freed.length === 0) return;
  await lockRunKeys(session, freed);
  const now = Math.max(...freed.map((run) => run.now));
  const free = new Map([...Map.groupBy(freed, nameOf)].map(([name, group]) => [name, group.length]));
  const keys = new Map(freed.map(({ target, key }) => [nameOf({ target, key }), { target, key }]));
  const valuesOf = () => [
    [...keys.values()].map(({ target }) => target),
    [...keys.values()].map(({ key }) => key),
    [...keys.keys()].map((name) => free.get(name) ?? 0),
  ];
  const take = (run: RunKey) => {
    const left = (free.get(nameOf(run)) ?? 0) - 1;
    free.set(nameOf(run), left);
    if (left <= 0) keys.delete(nameOf(run));
  };
  for (const run of await session.rows<RunKey>(keepSurplusSql, valuesOf())) take(run);
  while (keys.size > 0) {
    const next = await session.rows<RunKey & { id: string }>(nextOfKeysSql, valuesOf());
    if (next.length > 0) {
      await session.change(giveSlotsSql, [next.map(({ id }) => id), now]);
      session.concernsHosts = true;
    }
    for (const run of next) take(run);
    // A waiting run may have been canceled while this transaction waited for its row: then there are fewer.
    if (keys.size > 0) for (const name of await emptyKeys(session, [...keys.values()])) keys.delete(name);
  }
}

const emptySql = `
  SELECT t.target, t.key FROM unnest($1::text[], $2::text[]) AS t (target, key)
  WHERE NOT EXISTS (SELECT 1 FROM signalbox.run WHERE ${ofKeySql} AND key_slot = 'waiting')`;

async function emptyKeys(session: Session, keys: readonly RunKey[]): Promise<Set<string>> {
  const values = [keys.map(({ target }) => target), keys.map(({ key }) => key)];
  return new Set((await session.rows<RunKey>(emptySql, values)).map(nameOf));
}

const wakingSql =
  "SELECT id, target, run_key AS key FROM signalbox.run WHERE id = ANY($1::text[]) ORDER BY available_at, id";

const wakeSql = `
  UPDATE signalbox.run SET key_slot = p.slot, key_order = p.key_order, available_at = CASE WHEN p.slot = 'waiting' THEN ${notDueAt} ELSE available_at END
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS p (id, slot, key_order) WHERE ${looksUp("run.id", "p.id")}`;

/** Sleeping runs that are due need a slot again, or wait for one. Their rows are locked. */
export async function wakeRuns(session: Session, ids: readonly string[], limits: ConcurrencyLimits): Promise<void> {
  if (ids.length === 0) return;
  const runs = await session.rows<RunKey & { id: string }>(wakingSql, [ids]);
  const slots = await join(
    session,
    runs.map(({ target, key }) => ({ target, key, perKey: limits.get(target)?.perKey ?? maxSlots })),
  );
  await session.change(wakeSql, [
    runs.map(({ id }) => id),
    slots.map(({ keySlot }) => keySlot),
    slots.map(({ keyOrder }) => keyOrder),
  ]);
}
