import { type BigIntStats, mkdtempSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../../../server/config.ts";
import { isReachableFromElsewhere } from "../../../server/domain/requests/local-request.ts";
import { bad, type Check, ok, warn } from "./check.ts";
import { formatBytes, formatDuration } from "../../../server/shared/format.ts";

/** Statfs(2). FUSE may be either. */
const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9p"],
]);
const fullBytes = 50_000_000;
const scarceBytes = 500_000_000;
const clockSkewMs = 2000;

/** Checks of the folder of the store. */
export function checkFolder(folder: string): Check[] {
  try {
    const { type, bavail, bsize } = statfsSync(folder);
    const network = networkTypes.get(type >>> 0);
    const freeBytes = bavail * bsize;
    return [
      network
        ? bad(
            "file system",
            `the store is on ${network}, where the locks of SQLite are unreliable`,
            "Move it to a local disk (SIGNALBOX_DATABASE_URL).",
          )
        : ok("file system", "local"),
      checkSpace(freeBytes),
      checkClock(folder),
    ];
  } catch (error) {
    return [
      bad(
        "folder",
        `${folder} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
        "Check its permissions: the service writes there.",
      ),
    ];
  }
}

export function checkSpace(freeBytes: number): Check {
  if (freeBytes < fullBytes)
    return bad("disk", `${formatBytes(freeBytes)} free: webhooks will be rejected soon`, "Free space on the disk.");
  return freeBytes < scarceBytes
    ? warn("disk", `${formatBytes(freeBytes)} free`, "Free space on the disk, or shorten retention (retentionDays).")
    : ok("disk", `${formatBytes(freeBytes)} free`);
}

function checkClock(folder: string): Check {
  const probe = mkdtempSync(join(folder, ".doctor-"));
  try {
    const stats: BigIntStats = statSync(probe, { bigint: true });
    const skewMs = Math.abs(Number(stats.mtimeMs) - Date.now());
    if (skewMs <= clockSkewMs) return ok("clock", "matches the file system's clock");
    return warn(
      "clock",
      `differs from the file system's clock by ${formatDuration(skewMs)}`,
      "Set it, e.g. by NTP. Signatures and expiry depend on it.",
    );
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

/** Checks of the public address of the service. */
export function checkAddress({
  host,
  baseUrl,
  trustProxy,
  mode,
}: Pick<Settings, "host" | "baseUrl" | "trustProxy" | "mode">): Check[] {
  if (mode === "development" && !isReachableFromElsewhere({ host, baseUrl }))
    return [ok("address", "development listens on this machine only")];
  if (mode === "development")
    return [
      ok("address", `other machines can reach development at ${baseUrl ?? host}; their requests need a key or a token`),
    ];
  if (baseUrl === null)
    return [
      warn(
        "address",
        "no base URL is set: displayed URLs have this machine's address",
        "Set SIGNALBOX_BASE_URL, e.g. https://hooks.example.com.",
      ),
    ];
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === "http:" && !/^(localhost|127\.|\[::1\])/.test(hostname))
    return [
      warn(
        "address",
        `${baseUrl} is not encrypted: keys can be intercepted`,
        "Put a proxy with TLS in front of it, and set the base URL to https://.",
      ),
    ];
  if (protocol === "https:" && trustProxy.length === 0)
    return [
      warn(
        "address",
        `${baseUrl}; no proxy is trusted, so all requests appear to come from the proxy`,
        "Set SIGNALBOX_TRUST_PROXY to its address, e.g. 127.0.0.1.",
      ),
    ];
  return [ok("address", baseUrl)];
}
