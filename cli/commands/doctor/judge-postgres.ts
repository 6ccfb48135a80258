import type { PostgresFacts } from "../../../server/store/postgres/inspect-database.ts";
import { bad, type Check, ok, warn } from "./check.ts";
import { formatBytes } from "../../../server/domain/format.ts";

const clockSkewMs = 500;
const farMs = 10_000;
const largeBytes = 1_000_000_000;

/** Of the database, and of the server that it lies on. `fingerprint`: of this machine's secret; `null`: it has none. */
export function judgePostgres(facts: PostgresFacts, p: { fingerprint: string | null; hasRetention: boolean }): Check[] {
  const { name, server, user, databaseBytes, pendingMigrations } = facts;
  return [
    ok("store", `${name} answers: Postgres ${server}, ${formatBytes(databaseBytes)}`),
    pendingMigrations > 0
      ? warn(
          "schema",
          `${pendingMigrations} migrations are to be made`,
          "The next start makes them. Have a backup first: pg_dump.",
        )
      : ok("schema", "up to date"),
    facts.isReplica
      ? bad("rights", "it is a replica, which cannot be written", "Name the primary in DATABASE_URL.")
      : judgeRights(facts.mayWrite, user),
    judgeDisk(facts),
    judgeConnections(facts.connections),
    judgeClock(facts.aheadMs),
    judgeFingerprint(facts.secretFingerprint, p.fingerprint),
    judgeRetention(databaseBytes, p.hasRetention),
  ];
}

function judgeRights(mayWrite: boolean, user: string): Check {
  if (mayWrite) return ok("rights", `${user} may make and write the tables`);
  return bad(
    "rights",
    `${user} may not make or write the tables`,
    `Let it own the database: ALTER DATABASE <name> OWNER TO ${user}.`,
  );
}

function judgeDisk({ fsync, fullPageWrites, synchronousCommit }: PostgresFacts): Check {
  if (fsync === "off")
    return bad(
      "disk",
      "fsync is off on the server: when its machine loses its power, what was answered with 202 is lost, or the whole database",
      "Set fsync = on in postgresql.conf, and restart it.",
    );
  if (fullPageWrites === "off")
    return warn(
      "disk",
      "full_page_writes is off on the server: a loss of power may damage pages",
      "Set it on, unless the file system writes 8 kB at once for sure.",
    );
  if (synchronousCommit === "off")
    return warn(
      "disk",
      "synchronous_commit is off on the server; what is accepted waits for the disk nevertheless, as it is set for each commit that matters",
      "Set it on, so that other programs on it do the same.",
    );
  if (synchronousCommit === "local") return ok("disk", "commits wait for the disk of the server, and for no replica");
  return ok("disk", `commits wait for the disk (synchronous_commit = ${synchronousCommit})`);
}

function judgeConnections({ most, used, wanted }: PostgresFacts["connections"]): Check {
  const text = `${used} of ${most} are used; this platform may want ${wanted}`;
  if (wanted > most)
    return bad("connections", text, "Raise max_connections, or run fewer processes: each wants up to seven.");
  return used > most * 0.9
    ? warn("connections", text, "Raise max_connections: without one, webhooks are refused with 503.")
    : ok("connections", text);
}

function judgeClock(aheadMs: number): Check {
  const seconds = `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs > 0 ? "behind" : "ahead of"} the database's`;
  if (Math.abs(aheadMs) < clockSkewMs) return ok("clock", "agrees with the database's");
  if (Math.abs(aheadMs) < farMs)
    return warn("clock", `this machine's is ${seconds}, which counts`, "Set it, e.g. by NTP.");
  return warn(
    "clock",
    `this machine's is ${seconds}, which counts: one of them is far off, and signatures of senders with a timestamp are judged by it`,
    "Set both, e.g. by NTP.",
  );
}

function judgeFingerprint(inForce: string | null, own: string | null): Check {
  if (inForce === null) return ok("machines", "none has settled the secret yet");
  if (own === inForce) return ok("machines", "this one has the secret of all others");
  const what = own === null ? "has no secret, and others have one" : "has another secret than the others";
  return bad(
    "machines",
    `this one ${what}: it will not start`,
    "Set the same SIGNALBOX_SECRET on all. `signalbox start --new-secret` puts this machine's in force.",
  );
}

function judgeRetention(bytes: number, hasRetention: boolean): Check {
  if (hasRetention) return ok("retention", "old deliveries are removed");
  if (bytes < largeBytes) return ok("retention", "everything is kept for ever");
  return warn(
    "retention",
    `everything is kept for ever, ${formatBytes(bytes)} by now`,
    "Set retentionDays in signalbox.config.ts, or SIGNALBOX_RETENTION_DAYS.",
  );
}
