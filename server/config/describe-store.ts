import { isAbsolute, join, relative } from "node:path";
import type { Settings } from "../config.ts";

/**
 * The store, for people: `SQLite .signalbox/signalbox.db` or `Postgres db.internal/hooks, schema signalbox`, without
 * the user and the password. A deployed service that ignores a Postgres in `DATABASE_URL` says so.
 */
export function describeStore(
  { database, projectDir, stateDir, mode }: Pick<Settings, "database" | "projectDir" | "stateDir" | "mode">,
  env: NodeJS.ProcessEnv = process.env,
): string {
  if (database.kind === "postgres") return `Postgres ${postgresLocation(database.url)}, schema signalbox`;
  const path = relative(projectDir, database.file);
  const file = path.startsWith("..") || isAbsolute(path) ? database.file : path;
  const isDefault = database.file === join(stateDir, "signalbox.db");
  const isMeant = mode === "deployed" && isDefault && /^postgres(ql)?:/.test(env["DATABASE_URL"] ?? "");
  return `SQLite ${file}${isMeant ? " (DATABASE_URL is not read; SIGNALBOX_DATABASE_URL selects a Postgres)" : ""}`;
}

/** `host:port/database`, without the user and the password. */
export function postgresLocation(url: string): string {
  if (!URL.canParse(url)) return "the database";
  const { host, pathname, searchParams } = new URL(url);
  return `${host || (searchParams.get("host") ?? "localhost")}${pathname}`;
}
