import { formatBytes } from "../../../server/shared/format.ts";

const largeBytes = 1_000_000_000;

/** The result of one check, in a line, and the fix for a problem. */
export interface Check {
  name: string;
  state: "ok" | "warn" | "bad";
  message: string;
  fix: string | null;
}

export function ok(name: string, message: string): Check {
  return { name, state: "ok", message, fix: null };
}

export function warn(name: string, message: string, fix: string): Check {
  return { name, state: "warn", message, fix };
}

export function bad(name: string, message: string, fix: string): Check {
  return { name, state: "bad", message, fix };
}

/** Warns about a large store without retention. `maxBytes`: the size beyond which the oldest data is removed. */
export function checkRetention(
  usedBytes: number,
  { hasRetention, maxBytes }: { hasRetention: boolean; maxBytes: number | null },
): Check {
  if (hasRetention) return ok("retention", "old deliveries are removed");
  if (maxBytes !== null)
    return ok(
      "retention",
      `old deliveries are removed when the data exceeds ${formatBytes(maxBytes)}; it has ${formatBytes(usedBytes)}`,
    );
  if (usedBytes < largeBytes) return ok("retention", "deliveries are kept permanently");
  return warn(
    "retention",
    `deliveries are kept permanently: ${formatBytes(usedBytes)} so far`,
    "Set retentionDays in signalbox.config.ts, or SIGNALBOX_RETENTION_DAYS.",
  );
}
