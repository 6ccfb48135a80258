import { createHash } from "node:crypto";
import type { Concurrency } from "../../contract/project/options.ts";
import type { ConcurrencyLimits } from "../../domain/runs/run-limits.ts";
import type { UpkeepBatch } from "../../ports/store/upkeep-store.ts";
import { leaseMs } from "../../domain/runs/lease.ts";
import { newId } from "../../domain/ids.ts";
import type { Verdict } from "../../contract/delivery.ts";
import type { ClaimedRun, ClaimRequest } from "../../ports/store/engine-store.ts";
import type { NewDelivery } from "../../ports/store/delivery-store.ts";
import type { NewKey } from "../../ports/store/key-store.ts";
import type { NewRun } from "../../ports/store/new-run.ts";
import type { RunToResume } from "../../ports/store/run-store.ts";
import type { Store } from "../../ports/store.ts";

/** Opens an empty store with each call. */
export type OpenStore = () => Promise<Store>;

/** A time to count from: 2026-01-01. */
export const epoch = Date.UTC(2026, 0, 1);

export function aDelivery(given: Partial<NewDelivery> = {}): NewDelivery {
  const body = given.body === undefined ? Buffer.from('{"email":"a@example.com"}') : given.body;
  return {
    id: newId("dlv"),
    endpoint: "signup",
    receivedAt: epoch,
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    bodyBytes: body?.length ?? 0,
    bodySha256: body && createHash("sha256").update(body).digest("hex"),
    outcome: "accepted",
    responseStatus: 202,
    problem: null,
    verdicts: [],
    unlistedVerdicts: [],
    durationMs: 1.5,
    keyId: null,
    redeliveryOf: null,
    ...given,
  };
}

export function aVerdict(given: Partial<Verdict> = {}): Verdict {
  const target = { kind: "workflow", slug: "welcome-email" } as const;
  return {
    trigger: "new-signup",
    attachmentId: "new-signup:welcome-email",
    target,
    outcome: "matched",
    runId: null,
    reasons: [],
    ...given,
  };
}

export function aRun(given: Partial<NewRun> = {}): NewRun {
  return {
    id: newId("run"),
    trigger: "new-signup",
    attachmentId: "new-signup:welcome-email",
    target: { kind: "workflow", slug: "welcome-email" },
    deliveryId: null,
    startedBy: "webhook",
    replayOf: null,
    version: "v1",
    maxAttempts: 3,
    createdAt: epoch,
    payload: { email: "a@example.com" },
    input: null,
    keyId: null,
    ...given,
  };
}

export function aResume(given: Partial<RunToResume> & { id: string }): RunToResume {
  return {
    target: { kind: "workflow", slug: "welcome-email" },
    version: "v2",
    attempts: 3,
    seenAttempt: 1,
    ...given,
  };
}

export function aKey(given: Partial<NewKey> = {}): NewKey {
  const id = newId("key");
  return {
    id,
    kind: "webhook",
    name: "default",
    hint: "sbx_abc",
    hash: `hash of ${id}`,
    ciphertext: null,
    endpoints: null,
    scope: null,
    ownerId: null,
    createdAt: epoch,
    expiresAt: null,
    ...given,
  };
}

/** The limits of a target, with their defaults. */
export function aConcurrency(given: Partial<Concurrency> = {}): Concurrency {
  const perKey = given.perKey ?? null;
  return { limit: null, perKey, whileWaiting: perKey === null ? "release" : "hold", onFailure: "continue", ...given };
}

/** Limits on the concurrent runs of these targets. */
export const limitTo = (limits: Readonly<Record<string, number>>): ConcurrencyLimits =>
  new Map(Object.entries(limits).map(([target, limit]) => [target, aConcurrency({ limit })]));

/** A claim for one worker: up to `limit` runs. */
type GivenClaim = Partial<Omit<ClaimRequest, "slots">> & { workerId?: string; limit?: number };

export function aClaim({ workerId = "wrk_a", limit = 10, ...given }: GivenClaim = {}): ClaimRequest {
  return {
    slots: slotsOf(workerId, limit),
    now: epoch + 1000,
    leaseMs,
    limits: new Map(),
    pool: "shared",
    ...given,
  };
}

const slotsOf = (workerId: string, count: number): string[] => Array.from({ length: count }, () => workerId);

/** Claims exactly one run. */
export async function claimOne(store: Store, given: GivenClaim = {}): Promise<ClaimedRun> {
  const [run, ...others] = await store.claimRuns(aClaim({ limit: 2, ...given }));
  if (!run || others.length > 0) throw new Error(`expected one due run, not ${run ? 1 + others.length : 0}`);
  return run;
}

/** Creates and claims one run, with the default claim. */
export async function withRunningRun(store: Store, given: Partial<NewRun> = {}): Promise<ClaimedRun> {
  await store.createRuns([aRun(given)]);
  return claimOne(store);
}

export async function kindsOf(store: Store, runId: string): Promise<string[]> {
  return (await store.listTimeline(runId, { after: 0, limit: 1000 })).map((entry) => entry.kind);
}

/** Reads every page of a list in order. */
export async function readPages<Row>(
  read: (cursor: string | null) => Promise<{ data: Row[]; nextCursor: string | null }>,
): Promise<Row[][]> {
  const pages: Row[][] = [];
  let cursor: string | null = null;
  do {
    const page: { data: Row[]; nextCursor: string | null } = await read(cursor);
    pages.push(page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return pages;
}

/** True if the text contains the part, with ASCII letters in either case. A simple implementation, for comparison. */
export function hasAsciiText(text: string, part: string): boolean {
  return lowerAscii(text).includes(lowerAscii(part));
}

function lowerAscii(text: string): string {
  return [...text].map((char) => (char >= "A" && char <= "Z" ? char.toLowerCase() : char)).join("");
}

/** Calls an operation of upkeep until nothing is left: a batch ends early on a busy machine. Returns what was removed. */
export async function toTheEnd<Cursor>(batch: (after: Cursor | null) => Promise<UpkeepBatch<Cursor>>): Promise<number> {
  let sum = 0;
  for (let after: Cursor | null = null; ;) {
    const { removed, next } = await batch(after);
    sum += removed;
    if (next === null) return sum;
    after = next;
  }
}

/** All deliveries before a time. */
export function removeDeliveries(
  store: Pick<Store, "removeOldDeliveries">,
  p: { before: number; keysSince: number },
): Promise<number> {
  return toTheEnd((after: { at: number; id: string } | null) => store.removeOldDeliveries({ ...p, after }));
}
