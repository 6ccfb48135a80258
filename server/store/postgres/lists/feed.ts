import { asc, inArray } from "drizzle-orm";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../../contract/app-error.ts";
import type { FeedPage, FeedPosition, FeedStore } from "../../../ports/store/feed-store.ts";
import { toDeliverySummary } from "../../shared/delivery-shapes.ts";
import { maxFeedRows, portionOf } from "../../shared/lists/feed-portion.ts";
import { readStoredVerdicts } from "../../shared/stored-verdicts.ts";
import type { PostgresDatabase } from "../database.ts";
import { deliverySummaryColumns } from "./list-deliveries.ts";
import { delivery } from "../schema.ts";
import type { Session } from "../connection/session.ts";

/**
 * A delivery takes its number from a sequence when it is inserted, and appears when its transaction commits. So a lower
 * number can appear after a higher one. Numbers without a gap are complete. At a gap, the feed waits for the
 * transactions that were inserting deliveries when the higher number was seen. A number that is missing afterwards was
 * removed or rolled back, and never appears.
 *
 * Each INSERT locks the table (ROW EXCLUSIVE) before it takes a number, and keeps the lock until its rows are visible.
 * So `pg_locks` names these transactions, and writers neither wait nor do more. The oldest transaction of a snapshot
 * would also be one of other tables or databases, which may stay open for hours.
 */
const insertingSql = `
  SELECT virtualtransaction AS name FROM pg_locks
  WHERE locktype = 'relation' AND relation = 'signalbox.delivery'::regclass AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const nextSql = `
  SELECT position AS number, id AS "deliveryId", endpoint, body_bytes AS "bodyBytes" FROM signalbox.delivery
  WHERE position > $1 AND position <= $2 ORDER BY position LIMIT ${maxFeedRows}`;

const newestSql = "SELECT max(position) AS number FROM signalbox.delivery";

/** The last row before a number. */
const beforeSql = `SELECT position AS number, id AS "deliveryId" FROM signalbox.delivery WHERE position < $1 ORDER BY position DESC LIMIT 1`;

const firstSinceSql = "SELECT min(position) AS number FROM signalbox.delivery WHERE received_at >= $1";

/** `last`: the number that was given out last. */
const hasPositionSql = `
  SELECT (SELECT id FROM signalbox.delivery WHERE position = $1) AS id, coalesce(pg_sequence_last_value(pg_get_serial_sequence('signalbox.delivery', 'position')::regclass), 0) AS last`;

const start: FeedPosition = { number: 0, deliveryId: null };

const pollMs = 5;
/** The reader asks again afterwards. */
const maxWaitMs = 1_000;

interface Row extends FeedPosition {
  endpoint: string;
  bodyBytes: number;
}

export function createFeedStore({ read }: Pick<PostgresDatabase, "read">): FeedStore {
  return {
    findFeedStart: (since) => read((session) => findStart(session, since)),
    readFeed: (p) => read((session) => readFeed(session, p)),
    hasFeedPosition: ({ number, deliveryId }) =>
      read(async (session) => {
        const [found] = await session.rows<{ id: string | null; last: number }>(hasPositionSql, [number]);
        const { id = null, last = 0 } = found ?? {};
        return number <= last && (id === null || id === deliveryId);
      }),
  };
}

async function findStart(session: Session, since: number | null): Promise<FeedPosition> {
  const newest = await settleNewest(session);
  const [first] = since === null ? [] : await session.rows<{ number: number | null }>(firstSinceSql, [since]);
  const [found] = await session.rows<FeedPosition>(beforeSql, [Math.min(first?.number ?? Infinity, newest + 1)]);
  return found ?? start;
}

/** The highest number below which no delivery can appear any more. */
async function settleNewest(session: Session): Promise<number> {
  const newest = await readNewest(session);
  const inserting = await watchInserting(session);
  for (const giveUpAt = performance.now() + maxWaitMs; performance.now() < giveUpAt; await delay(pollMs))
    if (await inserting.haveEnded()) return newest;
  throw new AppError(
    "store_unavailable",
    "A transaction has been inserting deliveries for more than a second, so the start of the feed is not known yet.",
  );
}

async function readFeed(
  session: Session,
  { after, endpoints }: Parameters<FeedStore["readFeed"]>[0],
): Promise<FeedPage> {
  const newest = await readNewest(session);
  const rows = await readComplete(session, after.number, newest);
  const { wanted, last } = portionOf(
    rows.map((row) => ({ ...row, isWanted: endpoints?.includes(row.endpoint) ?? true })),
  );
  return {
    entries: wanted.length === 0 ? [] : await readEntries(session, wanted),
    end: last ? { number: last.number, deliveryId: last.deliveryId } : after,
    isAtEnd: (last?.number ?? after.number) >= newest,
  };
}

/**
 * The next rows up to a number that was visible before, in front of the first missing number. If the first one is
 * missing, waits for it, or until it is known that it will never appear. Empty if that takes too long.
 */
async function readComplete(session: Session, after: number, newest: number): Promise<Row[]> {
  const read = () => session.rows<Row>(nextSql, [after, newest]);
  const first = await read();
  const complete = withoutGap(first, after);
  if (first.length === 0 || complete.length > 0) return complete;
  const inserting = await watchInserting(session);
  for (const giveUpAt = performance.now() + maxWaitMs; performance.now() < giveUpAt; await delay(pollMs)) {
    const haveEnded = await inserting.haveEnded();
    const rows = await read();
    if (haveEnded) return rows;
    const appeared = withoutGap(rows, after);
    if (appeared.length > 0) return appeared;
  }
  return [];
}

/** The rows before the first missing number. */
function withoutGap(rows: readonly Row[], after: number): Row[] {
  const gapAt = rows.findIndex(({ number }, at) => number !== after + at + 1);
  return gapAt < 0 ? [...rows] : rows.slice(0, gapAt);
}

/** The transactions that insert deliveries now. */
async function watchInserting(session: Session): Promise<{ haveEnded(): Promise<boolean> }> {
  const readNames = async () => (await session.rows<{ name: string }>(insertingSql)).map(({ name }) => name);
  let open = await readNames();
  return {
    async haveEnded() {
      if (open.length === 0) return true;
      const still = new Set(await readNames());
      open = open.filter((name) => still.has(name));
      return open.length === 0;
    },
  };
}

async function readNewest(session: Session): Promise<number> {
  const [found] = await session.rows<{ number: number | null }>(newestSql);
  return Number(found?.number ?? 0);
}

async function readEntries({ db }: Session, wanted: readonly Row[]): Promise<FeedPage["entries"]> {
  const rows = await db
    .select({ ...deliverySummaryColumns, position: delivery.position, body: delivery.body })
    .from(delivery)
    .where(
      inArray(
        delivery.position,
        wanted.map(({ number }) => number),
      ),
    )
    .orderBy(asc(delivery.position));
  return rows.map(({ position, body, ...row }) => ({
    position: { number: position, deliveryId: row.id },
    delivery: toDeliverySummary({ ...row, ...readStoredVerdicts(row.verdicts) }),
    body,
  }));
}
