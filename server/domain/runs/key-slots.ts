import type { Concurrency } from "../../contract/project/options.ts";
import { type Target, targetName } from "../../contract/project/target.ts";
import type { RunStatus } from "../../contract/run.ts";
import { hasFailed, isEnded } from "../../shared/runs/run-state.ts";
import type { Codes } from "../stored-codes.ts";

/**
 * A run of a target with `perKey` has one of the slots of its key, or waits for one. A freed slot goes to the run that
 * has waited longest, in the transaction that frees it. Runs without a key have `null`, as have runs of other targets.
 */
export type KeySlot =
  /** It has one of the slots. A failed run can keep its slot, which blocks the key. */
  | "taken"
  /** The limit was lowered, and it has no slot of the new limit yet: it gets the next one that is freed. */
  | "surplus"
  /** It waits for a slot. No claim takes it. */
  | "waiting"
  /** It freed its slot while it sleeps, and needs one to continue. */
  | "asleep";

/** Their numbers in SQLite; see `Codes`. */
export const keySlotCodes = { taken: 0, surplus: 1, waiting: 2, asleep: 3 } as const satisfies Codes<KeySlot>;

/** `available_at` of a run that waits for a slot: the last time that a Date can have. */
export const notDueAt = 8_640_000_000_000_000;

/** The runs of one target (`kind:slug`) with one key. */
export interface RunKey {
  target: string;
  key: string;
}

/** A run that is about to be queued or assigned. */
export interface JoiningRun {
  target: Target;
  key?: string | null;
  concurrency?: Concurrency | null;
  createdAt: number;
  replayOf?: string | null;
  failureOf?: string | null;
  /** It starts immediately, with a slot. */
  assignment?: unknown;
}

/**
 * The key of a run and the limit of that key. `null`: the rules of keys do not apply. The run of an `onFailure` must
 * not wait for the run whose failure it handles.
 */
export function keyLimitOf({ target, key, failureOf, concurrency }: JoiningRun): (RunKey & { perKey: number }) | null {
  const perKey = concurrency?.perKey;
  if (!key || typeof failureOf === "string" || typeof perKey !== "number") return null;
  return { target: targetName(target), key, perKey };
}

/** Whether a replay takes over the slot of the run that it replays. */
export const takesOver = (key: RunKey | null, replayed: RunKey): boolean =>
  key?.target === replayed.target && key.key === replayed.key;

/** `keyOrder`: the order of runs that wait for a slot. */
export interface RunSlot {
  keySlot: KeySlot | null;
  keyOrder: number | null;
}

export const noSlot: RunSlot = { keySlot: null, keyOrder: null };

/** A key as a new run finds it. `taken`: slots that runs have, counted up to the limit. */
export interface KeyState {
  taken: number;
  /** The highest `keyOrder` of a run that waits for a slot; 0: none waits. */
  lastOrder: number;
}

/** The slot of one more run, and the key after it. The run never overtakes one that waits. */
export function joinKey({ taken, lastOrder }: KeyState, perKey: number): { slot: RunSlot; after: KeyState } {
  if (taken < perKey && lastOrder === 0)
    return { slot: { keySlot: "taken", keyOrder: null }, after: { taken: taken + 1, lastOrder } };
  const keyOrder = lastOrder + 1;
  return { slot: { keySlot: "waiting", keyOrder }, after: { taken, lastOrder: keyOrder } };
}

/**
 * The slot of a run after it leaves `running`. `concurrency`: of its target in the current build; absent: the run
 * keeps its slot until it has ended.
 */
export function slotAfter(
  slot: KeySlot | null,
  transition: { to: RunStatus; reason?: "sleep" | "retry" },
  concurrency: Concurrency | undefined,
): KeySlot | null {
  if (slot === null || slot === "waiting") return slot;
  const { to, reason } = transition;
  if (hasFailed(to)) return concurrency?.onFailure === "block" ? slot : null;
  if (isEnded(to)) return null;
  return to === "waiting" && reason === "sleep" && concurrency?.whileWaiting === "release" ? "asleep" : slot;
}

/** Whether the next run of the key gets the slot. */
export const passesSlot = (before: KeySlot | null, after: KeySlot | null): boolean =>
  before === "taken" && after !== "taken";

/** An open run of a key, or a failed one that blocks it. */
export interface RunOfKey extends RunSlot {
  status: RunStatus;
  attempt: number;
}

/**
 * The slots of all runs of a key by new limits. `runs`: in the order in which they were accepted. Runs that have begun
 * keep their slots, even if they are too many; those that have not begun wait if there is no room.
 */
export function arrangeKey(runs: readonly RunOfKey[], concurrency: Concurrency | undefined): RunSlot[] {
  const { perKey = null, onFailure, whileWaiting } = concurrency ?? {};
  if (perKey === null) return runs.map(() => noSlot);
  const slots = new Map<RunOfKey, RunSlot>();
  const setSlot = (run: RunOfKey, keySlot: KeySlot | null, keyOrder: number | null = null) =>
    slots.set(run, { keySlot, keyOrder });
  const inTurn: RunOfKey[] = [];
  let taken = 0;
  for (const run of runs) {
    const { status, attempt, keySlot } = run;
    const isBlocking = hasFailed(status) && keySlot !== null && onFailure === "block";
    const hasBegun = isBlocking || (keySlot !== "waiting" && attempt > 0);
    if (isEnded(status) && !isBlocking) setSlot(run, null);
    else if (keySlot === "asleep" && whileWaiting === "release") setSlot(run, "asleep");
    else if (!hasBegun) inTurn.push(run);
    else {
      taken += 1;
      setSlot(run, taken <= perKey ? "taken" : "surplus");
    }
  }
  let waiting = 0;
  for (const run of inTurn.sort((one, other) => rankOf(one) - rankOf(other))) {
    if (taken < perKey) {
      taken += 1;
      setSlot(run, "taken");
    } else {
      waiting += 1;
      setSlot(run, "waiting", waiting);
    }
  }
  return runs.map((run) => slots.get(run) ?? noSlot);
}

/** Runs with a slot come first, then those that wait, in their order, then those of a target that had no limit. */
function rankOf({ keySlot, keyOrder }: RunOfKey): number {
  if (keySlot === null) return Number.MAX_SAFE_INTEGER;
  return keySlot === "waiting" ? (keyOrder ?? 0) : -1;
}
