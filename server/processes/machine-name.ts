import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Settings } from "../config.ts";

/**
 * Where a process number means a process. Containers may share the name of their host, and each sees its own processes
 * only: on a store that several machines share, one would take the others' workers for dead. A file has one machine,
 * and a container that comes again shall know the workers of the one before.
 */
export function machineName({ database }: Pick<Settings, "database">): string {
  if (database.kind === "sqlite") return hostname();
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}
