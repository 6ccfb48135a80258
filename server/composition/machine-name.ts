import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Settings } from "../config.ts";
import { composeMachineName } from "../domain/machine-name.ts";

/**
 * Identifies the machine or container in which a process ID is valid. Containers may have the same host name, and each
 * sees only its own processes: on a shared store, one would treat the workers of the others as dead. A file belongs to
 * one machine, and a container that is started again must recognize the workers of its previous start. People see
 * `hostOf` it.
 */
export function machineName({ database }: Pick<Settings, "database">): string {
  return composeMachineName(hostname(), database.kind === "sqlite" ? null : readNamespace());
}

/** `null`: the system has none. */
function readNamespace(): string | null {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return null;
  }
}
