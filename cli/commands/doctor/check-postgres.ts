import type { PostgresFacts } from "../../../server/store/postgres/inspect-database.ts";
import { bad, type Check, checkRetention, ok, warn } from "./check.ts";
import { formatBytes, formatCount, formatDuration } from "../../../server/shared/format.ts";

const clockSkewMs = 500;
const farMs = 10_000;

/** Checks of the database and its server. `fingerprint`: of this machine's secret; `null` without one. */
export function checkPostgres(
  facts: PostgresFacts,
  expected: { fingerprint: string | null; hasRetention: boolean },
): Check[] {
  const { name, server, databaseBytes, pendingMigrations } = facts;
  return [
    ok("store", `${name} responds: Postgres ${server}, ${formatBytes(databaseBytes)}`),
    pendingMigrations > 0
      ? warn(
          "schema",
          formatCount(pendingMigrations, "pending migration"),
          "The next start applies them. Create a backup first: pg_dump.",
        )
      : ok("schema", "up to date"),
    facts.isReplica
      ? bad("rights", "the server is a read-only replica", "Set SIGNALBOX_DATABASE_URL to the primary.")
      : checkRights(facts),
    checkDisk(facts),
    checkConnections(facts.connections),
    checkClock(facts.aheadMs),
    checkSecret(facts.secretFingerprint, expected.fingerprint),
    ...(facts.queue ? [...checkQueue(facts.queue), checkListeners(facts.queue)] : []),
    checkRetention(databaseBytes, { ...expected, maxBytes: null }),
  ];
}

function checkQueue(queue: NonNullable<PostgresFacts["queue"]>): Check[] {
  const { silentRuns, stuck } = queue;
  const checks: Check[] = [];
  if (silentRuns > 0)
    checks.push(
      warn(
        "queue",
        `${formatCount(silentRuns, "running run")} without a heartbeat for more than a minute`,
        "Their machine is lost. Start one: it takes them over.",
      ),
    );
  for (const { version, target, runs, oldestSeconds } of stuck)
    checks.push(
      warn(
        "queue",
        `${formatCount(runs, "run")} of version ${version}${target === null ? "" : `, ${target},`} waiting for ${formatDuration(oldestSeconds * 1000)}, and none is executed`,
        "Start a worker, or look into the log of the workers.",
      ),
    );
  return checks.length > 0 ? checks : [ok("queue", "workers execute due runs")];
}

function checkListeners({ listeners }: NonNullable<PostgresFacts["queue"]>): Check {
  if (listeners > 0) return ok("listeners", `${formatCount(listeners, "machine")} with workers`);
  return warn(
    "listeners",
    "no process with workers listens for due runs: they start late by up to two seconds",
    "Expected if the service is stopped. Behind a pooler in transaction mode, set SIGNALBOX_DATABASE_DIRECT_URL.",
  );
}

function checkRights({ mayWrite, mayMigrate, pendingMigrations, user }: PostgresFacts): Check {
  if (!mayWrite)
    return bad(
      "rights",
      `${user} may not write all tables`,
      `Make it the owner of the schema: ALTER SCHEMA signalbox OWNER TO ${user}. Or grant it CREATE on the database. A role that serves and does not migrate needs the rights in docs/scaling.md.`,
    );
  if (mayMigrate) return ok("rights", `${user} may create and write the tables`);
  if (pendingMigrations === 0)
    return ok("rights", `${user} may write the rows of all tables; another role applies migrations`);
  return bad(
    "rights",
    `${user} may write the rows of all tables, but not apply the pending migrations: the service does not start`,
    "Run `signalbox store migrate` as the owner of the tables.",
  );
}

function checkDisk({ fsync, fullPageWrites, synchronousCommit }: PostgresFacts): Check {
  if (fsync === "off")
    return bad(
      "disk",
      "fsync is off on the server: a power failure loses accepted webhooks, or the whole database",
      "Set fsync = on in postgresql.conf, and restart the server.",
    );
  if (fullPageWrites === "off")
    return warn(
      "disk",
      "full_page_writes is off on the server: a power failure may damage pages",
      "Turn it on, unless the file system writes 8 kB atomically.",
    );
  if (synchronousCommit === "off")
    return warn(
      "disk",
      "synchronous_commit is off on the server; accepted webhooks still wait for the disk, because Signalbox sets it for each such commit",
      "Turn it on, so that other programs on the server also wait for the disk.",
    );
  if (synchronousCommit === "local") return ok("disk", "commits wait for the disk of the server, not for a replica");
  return ok("disk", `commits wait for the disk (synchronous_commit = ${synchronousCommit})`);
}

function checkConnections({ most, used, wanted }: PostgresFacts["connections"]): Check {
  const text = `${used} of ${most} in use; the machines may need ${wanted}`;
  if (wanted > most)
    return bad("connections", text, "Raise max_connections, or run fewer processes: each needs up to eight.");
  return used > most * 0.9
    ? warn("connections", text, "Raise max_connections: without a connection, webhooks are rejected with 503.")
    : ok("connections", text);
}

function checkClock(aheadMs: number): Check {
  const difference = `${formatDuration(Math.abs(aheadMs))} ${aheadMs > 0 ? "behind" : "ahead of"} the database's clock`;
  if (Math.abs(aheadMs) < clockSkewMs) return ok("clock", "matches the database's clock");
  if (Math.abs(aheadMs) < farMs)
    return warn("clock", `this machine's clock is ${difference}, which Signalbox uses`, "Set it, e.g. by NTP.");
  return warn(
    "clock",
    `this machine's clock is ${difference}, which Signalbox uses also for signatures with a timestamp`,
    "Set both clocks, e.g. by NTP.",
  );
}

function checkSecret(inForce: string | null, own: string | null): Check {
  if (inForce === null) return ok("machines", "no machine has registered a secret yet");
  if (own === inForce) return ok("machines", "this machine has the same secret as the others");
  const what = own === null ? "has no secret, but others have one" : "has a different secret than the others";
  return bad(
    "machines",
    `this machine ${what}: it will not start`,
    "Set the same SIGNALBOX_SECRET on all machines. To change it on purpose: `signalbox start --new-secret`.",
  );
}
