import type { QueueDepth } from "../../../ports/store/engine-store.ts";
import { listenerName } from "../connection/connect.ts";
import type { Session } from "../connection/session.ts";
import { parseQueueName, schemaName } from "./queue-names.ts";
import { type QueueSchema, readQueueSchema } from "./queue-schema.ts";
import { maxQueuedPriority } from "./run-jobs.ts";

/** The state of the queue, and whether it agrees with the runs. */
export interface QueueFacts {
  schema: QueueSchema;
  /** Open runs without a job: they never continue. */
  runsWithoutJob: number;
  /** Jobs whose run is not open, or has another job. */
  jobsWithoutRun: number;
  /** Running runs whose heartbeat is long overdue: no machine takes them over. */
  silentRuns: number;
  /** Queues whose oldest job has been due for minutes while no run of the queue is executed. */
  stuck: readonly QueueDepth[];
  /** Connections that listen for changes. */
  listeners: number;
}

const stuckSeconds = 300;
const silentSeconds = 60;

const depthsSql = `
  SELECT q.name, due.jobs, EXISTS (SELECT 1 FROM ${schemaName}.job j WHERE j.name = q.name AND j.state = 'active') AS "isActive", coalesce(extract(epoch FROM ${schemaName}.job_now() - due.since), 0)::float8 AS "oldestSeconds" FROM ${schemaName}.queue q CROSS JOIN LATERAL (
    SELECT count(*) AS jobs, min(created_on) AS since FROM ${schemaName}.job j WHERE j.name = q.name AND j.state < 'active' AND NOT j.blocked AND j.priority <= ${maxQueuedPriority}
  ) due ORDER BY q.name`;

interface DepthRow {
  name: string;
  jobs: number;
  oldestSeconds: number;
  isActive: boolean;
}

function toDepth({ name, jobs, oldestSeconds }: DepthRow): QueueDepth {
  const { version, pool, limitedTarget } = parseQueueName(name);
  return { version, pool, target: limitedTarget, jobs, oldestSeconds: Math.max(0, oldestSeconds) };
}

/** The due jobs of each queue. Those that wait for their time are not among them. */
export async function listQueueDepths(session: Session): Promise<QueueDepth[]> {
  return (await session.rows<DepthRow>(depthsSql)).map(toDepth);
}

const agreementSql = `
  SELECT count(*) FILTER (WHERE j.id IS NULL) AS "runsWithoutJob", count(*) FILTER (WHERE j.id IS NOT NULL) AS "jobsWithoutRun"
  FROM (SELECT id, job_queue FROM signalbox.run WHERE status IN ('queued', 'waiting', 'running')) r
  FULL JOIN ${schemaName}.job j ON j.data ->> 'run' = r.id AND j.name = r.job_queue
  WHERE r.id IS NULL OR j.id IS NULL`;

const silentSql = `
  SELECT count(*) AS runs FROM ${schemaName}.queue q JOIN ${schemaName}.job j ON j.name = q.name
  WHERE j.state = 'active' AND j.heartbeat_on + (j.heartbeat_seconds + ${silentSeconds}) * interval '1 s' < ${schemaName}.job_now()`;

const listenersSql =
  "SELECT count(*) AS listeners FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1";

/**
 * `null` if there is no queue yet, or one of another version. Reads all open runs and all jobs. `name`: of the
 * database.
 */
export async function inspectQueue(session: Session, name: string): Promise<QueueFacts | null> {
  const schema = await readQueueSchema(session, name);
  if (schema.installed !== schema.current) return null;
  const [agreement] = await session.rows<Pick<QueueFacts, "runsWithoutJob" | "jobsWithoutRun">>(agreementSql);
  const [silent] = await session.rows<{ runs: number }>(silentSql);
  const [listening] = await session.rows<{ listeners: number }>(listenersSql, [listenerName]);
  const depths = await session.rows<DepthRow>(depthsSql);
  return {
    schema,
    runsWithoutJob: agreement?.runsWithoutJob ?? 0,
    jobsWithoutRun: agreement?.jobsWithoutRun ?? 0,
    silentRuns: silent?.runs ?? 0,
    stuck: depths.filter(({ oldestSeconds, isActive }) => oldestSeconds > stuckSeconds && !isActive).map(toDepth),
    listeners: listening?.listeners ?? 0,
  };
}
