import { AppError } from "../contract/app-error.ts";
import type { Delivery } from "../contract/delivery.ts";
import { type FoundEvent, isMatch } from "../domain/runs/event-waits.ts";
import { evaluateTriggers } from "../matching/match-triggers.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { SwitchStore } from "../ports/store.ts";
import type { DeliveryStore } from "../ports/store/delivery-store.ts";
import type { EngineStore, WaitToSearch } from "../ports/store/engine-store.ts";
import { parseAgain } from "./evaluate-again.ts";
import { readWithBodies } from "./export-deliveries.ts";

interface SearchDeps {
  store: Pick<EngineStore, "listWaitsToSearch" | "deliverEvent" | "finishSearch"> &
    Pick<DeliveryStore, "listDeliveries" | "getDeliveryBodies"> &
    Pick<SwitchStore, "listDisabledTriggers">;
  project: ProjectReader;
  clock: Clock;
  logger: Logger;
}

/** Finds the deliveries that were received before a run waited for them. Never rejects: what fails is repeated later. */
export interface WaitSearch {
  /** Searches for the waits that a run has just begun. Resolves when it may be due. */
  searchFor(runId: string): Promise<void>;
  /** Searches for those whose search is not complete, for example because a process has ended. */
  searchRest(): Promise<void>;
}

const waitsAtOnce = 100;

export function createWaitSearch(deps: SearchDeps): WaitSearch {
  const { store, clock, logger } = deps;
  let searchingRest: Promise<void> | null = null;
  /** The runs whose waits are being searched. */
  const inProgress = new Set<string>();

  async function searchAll(waits: readonly WaitToSearch[]): Promise<void> {
    for (const [runId, ofRun] of Map.groupBy(waits, (wait) => wait.runId)) {
      if (inProgress.has(runId)) continue;
      inProgress.add(runId);
      try {
        const disabled = await store.listDisabledTriggers();
        const used = new Set<string>();
        for (const events of Map.groupBy(ofRun, ({ step }) => step).values())
          await searchStep(events, { used, disabled });
      } finally {
        inProgress.delete(runId);
      }
    }
  }

  /** Of a wait for one of several events, the first delivery counts. `used`: the events of the steps before. */
  async function searchStep(
    events: readonly WaitToSearch[],
    { used, disabled }: { used: Set<string>; disabled: Pick<ReadonlyMap<string, unknown>, "has"> },
  ): Promise<void> {
    const [first] = events;
    if (!first) return;
    const { runId, step, isFinal } = first;
    let earliest: { branch: string; event: FoundEvent } | null = null;
    for (const wait of events) {
      const isSearchable = !disabled.has(wait.source);
      const event = isSearchable ? await findEvent(deps, { ...wait, used: [...wait.used, ...used] }) : null;
      if (event && (!earliest || event.receivedAt < earliest.event.receivedAt))
        earliest = { branch: wait.branch, event };
    }
    const now = clock.now();
    if (earliest !== null && (await store.deliverEvent({ runId, step, ...earliest, now })))
      used.add(earliest.event.deliveryId);
    else await store.finishSearch({ runId, step, isFinal, now });
  }

  /** Returns the number of waits that it has searched, or tried to. */
  async function searchSome(p: { runId?: string }): Promise<number> {
    try {
      const waits = await store.listWaitsToSearch({ now: clock.now(), limit: waitsAtOnce, ...p });
      await searchAll(waits);
      return waits.length;
    } catch (error) {
      logger.warn("could not search for the events of a waiting run, trying again", { ...p, error });
      return 0;
    }
  }

  async function searchWhileFull(): Promise<void> {
    while ((await searchSome({})) === waitsAtOnce);
  }

  return {
    searchFor: async (runId) => void (await searchSome({ runId })),
    searchRest: () => (searchingRest ??= searchWhileFull().finally(() => (searchingRest = null))),
  };
}

/** Held deliveries started nothing yet, and repeated ones are the same event again. */
const searched = new Set<Delivery["outcome"]>(["accepted", "skipped"]);

/** The first delivery that ends a wait, as the current build evaluates it; `null`: there is none. */
async function findEvent(deps: Pick<SearchDeps, "store" | "project">, wait: WaitToSearch): Promise<FoundEvent | null> {
  const { runId, source: slug, match, since, until, used } = wait;
  /** The delivery that started the run is not an event for it, and a disabled source had none. */
  const isExcluded = ({ id, outcome, verdicts }: Pick<Delivery, "id" | "outcome" | "verdicts">) =>
    !searched.has(outcome) ||
    used.includes(id) ||
    verdicts.some((verdict) => verdict.runId === runId || (verdict.trigger === slug && verdict.outcome === "disabled"));
  const triggers = deps.project.current().triggers.filter((trigger) => trigger.slug === slug);
  const [source] = triggers;
  if (!source) return null;
  let found: FoundEvent | null = null;
  // Newest first: the last match is the first delivery. Other machines may have another time.
  const filter = { endpoint: source.endpoint, since, until: until + 1 };
  for await (const deliveries of readWithBodies({ store: deps.store, clock: { now: () => until } }, filter))
    for (const { bytes, ...delivery } of deliveries) {
      if (!bytes || isExcluded(delivery)) continue;
      const payload = await payloadOf({ ...delivery, bytes: Buffer.from(bytes), source });
      if (payload !== undefined && isMatch(payload, match))
        found = { source: slug, payload, deliveryId: delivery.id, receivedAt: Date.parse(delivery.receivedAt) };
    }
  return found;
}

/** `undefined`: the source does not match the delivery, or its body cannot be read any more. */
async function payloadOf({
  bytes,
  source,
  ...delivery
}: Pick<Delivery, "id" | "headers"> & {
  bytes: Buffer<ArrayBuffer>;
  source: ReturnType<ProjectReader["current"]>["triggers"][number];
}) {
  try {
    const { json } = await parseAgain(delivery, { bytes, source, deliveryId: delivery.id });
    const [evaluated] = evaluateTriggers([source], json, delivery.headers);
    return evaluated?.verdict.outcome === "matched" && evaluated.payload !== null ? evaluated.payload : undefined;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
