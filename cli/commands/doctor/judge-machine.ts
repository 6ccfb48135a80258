import { type BigIntStats, mkdtempSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../../../server/config.ts";
import { isReachableFromElsewhere } from "../../../server/domain/local-request.ts";
import { bad, type Check, ok, warn } from "./check.ts";
import { formatBytes } from "../../../server/domain/format.ts";

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

/** Of the folder that the store lies in. */
export function judgeFolder(folder: string): Check[] {
  try {
    const { type, bavail, bsize } = statfsSync(folder);
    const network = networkTypes.get(type >>> 0);
    const room = bavail * bsize;
    return [
      network
        ? bad(
            "file system",
            `the store lies on ${network}, where SQLite's locks do not hold`,
            "Move it to a local disk (DATABASE_URL).",
          )
        : ok("file system", "local"),
      judgeSpace(room),
      judgeClock(folder),
    ];
  } catch (error) {
    return [
      bad(
        "folder",
        `${folder} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
        "Look at its rights: the service writes there.",
      ),
    ];
  }
}

export function judgeSpace(room: number): Check {
  if (room < fullBytes)
    return bad("disk", `${formatBytes(room)} are left: webhooks are refused soon`, "Make room on the disk.");
  return room < scarceBytes
    ? warn("disk", `${formatBytes(room)} are left`, "Make room on the disk, or keep less (retentionDays).")
    : ok("disk", `${formatBytes(room)} are left`);
}

function judgeClock(folder: string): Check {
  const probe = mkdtempSync(join(folder, ".doctor-"));
  try {
    const stats: BigIntStats = statSync(probe, { bigint: true });
    const skewMs = Math.abs(Number(stats.mtimeMs) - Date.now());
    if (skewMs <= clockSkewMs) return ok("clock", "agrees with the file system's");
    return warn(
      "clock",
      `is ${Math.round(skewMs / 1000)} s from the file system's`,
      "Set it, e.g. by NTP: signatures and expiry go by it.",
    );
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

/** Of how the world reaches the service. */
export function judgeAddress({
  host,
  baseUrl,
  trustProxy,
  mode,
}: Pick<Settings, "host" | "baseUrl" | "trustProxy" | "mode">): Check[] {
  if (mode === "development" && !isReachableFromElsewhere({ host, baseUrl }))
    return [ok("address", "development listens on this machine only")];
  if (mode === "development")
    return [
      ok(
        "address",
        `development can be reached from elsewhere, by ${baseUrl ?? host}; requests from there need a key or a token`,
      ),
    ];
  if (baseUrl === null)
    return [
      warn(
        "address",
        "no base URL is set: URLs that are shown name this machine",
        "Set SIGNALBOX_BASE_URL, e.g. https://hooks.example.com.",
      ),
    ];
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === "http:" && !/^(localhost|127\.|\[::1\])/.test(hostname))
    return [
      warn(
        "address",
        `${baseUrl} is not encrypted: keys can be read on the way`,
        "Put a proxy with TLS in front, and make the base URL https://.",
      ),
    ];
  if (protocol === "https:" && trustProxy.length === 0)
    return [
      warn(
        "address",
        `${baseUrl}; no proxy is trusted, so every sender seems to be the proxy`,
        "Name it in SIGNALBOX_TRUST_PROXY, e.g. 127.0.0.1.",
      ),
    ];
  return [ok("address", baseUrl)];
}
