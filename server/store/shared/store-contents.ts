import type { ConcurrencyLimits } from "../../domain/runs/run-limits.ts";
import { systemClock } from "../../ports/clock.ts";
import type { ClockWatch } from "../../domain/clock-watch.ts";
import type { UsedContentKey } from "../../domain/encryption/content-keys.ts";
import type { DueRuns, WorkerState } from "../../domain/runs/blocked-work.ts";

export const clockWatchSql = (table: string) =>
  `SELECT seen_at AS "seenAt", trusted_at AS "trustedAt", waiting_since AS "waitingSince" FROM ${table}`;

/** The contents of a store that `signalbox doctor` checks. */
export interface StoreContents {
  /** UTC milliseconds; `null`: no delivery yet. */
  newestDeliveryAt: number | null;
  workers: WorkerState[];
  /** Counted with the limits of the current build. */
  due: DueRuns[];
  /** The open runs by the version that accepted them, and by their target (`workflow:ship`). */
  openRuns: { version: string; target: string; runs: number }[];
  keys: {
    id: string;
    name: string;
    kind: string;
    endpoints: string[] | null;
    ciphertext: string | null;
    expiresAt: number | null;
    revokedAt: number | null;
    replacedBy: string | null;
  }[];
  disabledTriggers: string[];
  /** The keys that encrypted content. */
  contentKeys: UsedContentKey[];
  /** The time of the oldest delivery or run, in UTC milliseconds; `null`: there is none. */
  oldestAt: number | null;
  /** What upkeep has recorded of the clock. */
  clockWatch: ClockWatch | null;
  people: number;
  admins: number;
}

/** `limits`: those of the current build; see `ClaimRequest`. */
export interface WantedContents {
  now: number;
  limits: ConcurrencyLimits;
}

export const wantedByDefault = (): WantedContents => ({ now: systemClock.now(), limits: new Map() });
