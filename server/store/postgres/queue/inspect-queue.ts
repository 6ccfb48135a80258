import type { QueueDepth } from "../../../ports/store/engine-store.ts";
import { listenerName } from "../connection/connect.ts";
import type { Session } from "../connection/session.ts";
import { listQueueDepths } from "./due-runs.ts";

export interface QueueFacts {
  /** Running runs whose lease expired long ago: no machine takes them over. */
  silentRuns: number;
  /** Queues whose oldest run has been due for minutes while no run of the queue is executed. */
  stuck: readonly QueueDepth[];
  /** Connections that listen for changes. */
  listeners: number;
}

const stuckSeconds = 300;
const silentSeconds = 60;

const silentSql = `
  SELECT count(*)::int AS runs FROM signalbox.run
  WHERE worker_id IS NOT NULL AND lease_until / 1000.0 + ${silentSeconds} < extract(epoch FROM clock_timestamp())`;

const listenersSql =
  "SELECT count(*)::int AS listeners FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1";

/** Reads all open runs. */
export async function inspectQueue(session: Session): Promise<QueueFacts> {
  const [silent] = await session.rows<{ runs: number }>(silentSql);
  const [listening] = await session.rows<{ listeners: number }>(listenersSql, [listenerName]);
  const depths = await listQueueDepths(session);
  return {
    silentRuns: silent?.runs ?? 0,
    stuck: depths.flatMap(({ isActive, ...depth }) => (depth.oldestSeconds > stuckSeconds && !isActive ? [depth] : [])),
    listeners: listening?.listeners ?? 0,
  };
}
