import type { Delivery, DeliverySummary, Verdict } from "../contract/delivery.ts";
import type { DriftChange, DriftReport } from "../contract/drift.ts";
import { readPages } from "../contract/list.ts";
import type { BodyFormat } from "../contract/project/endpoint.ts";
import type { Json } from "../contract/json.ts";
import { isOtherEvent } from "../shared/deliveries/describe-reason.ts";
import { onlyJson } from "../domain/requests/body-format.ts";
import { fromPointer, valueAt } from "../shared/json/json-pointer.ts";
import { stopIfDisconnected } from "../domain/problem.ts";
import { describeDrift, pointerText } from "../domain/sketch/describe-drift.ts";
import {
  type EndpointContracts,
  addDelivery,
  findChanges,
  readStoredContracts,
  writeContracts,
} from "../domain/sketch/endpoint-contracts.ts";
import { type EventSample, removeOldTexts } from "../domain/sketch/event-contract.ts";
import { eventKind } from "../domain/sketch/event-kind.ts";
import type { Drift } from "../domain/sketch/find-drift.ts";
import { type Clock, elapsedMs } from "../ports/clock.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { ContractStore } from "../ports/store/contract-store.ts";
import type { DeliveryStore } from "../ports/store/delivery-store.ts";
import { isUsable, readSample } from "./infer-trigger.ts";

/** Of the deliveries since the last update, the newest ones are compared, at most this many of an endpoint. */
const maxDeliveries = 500;
/** Deliveries of the last moments may be written after newer ones, so an update leaves them to the next one. */
const settledMs = 2_000;
const dayMs = 24 * 60 * 60 * 1000;
const firstPeriodMs = 7 * dayMs;
const defaultPeriodMs = 7 * dayMs;
/** Reading compares deliveries for at most this time. */
const maxReadMs = 4_000;
const maxChanges = 100;

type DriftStore = Pick<ContractStore, "readContracts" | "saveContracts"> &
  Pick<DeliveryStore, "listDeliveries" | "getDelivery">;

interface Deps {
  store: DriftStore;
  clock: Clock;
}

/**
 * Adds the new deliveries of the endpoints to their stored contracts. Stops if `pause` resolves to `false`; the next
 * update continues. Safe to run concurrently: of two updates of an endpoint, one is written.
 */
export async function updateContracts(
  deps: Deps,
  p: {
    endpoints: ReadonlyMap<string, readonly BodyFormat[]>;
    /** Strings that were last seen before this time are forgotten. Unix milliseconds; `null`: none is. */
    textsSince: number | null;
    pause: (tookMs: number) => Promise<boolean>;
  },
): Promise<void> {
  for (const [endpoint, formats] of p.endpoints) {
    const stored = await deps.store.readContracts(endpoint);
    const contracts = readStoredContracts(stored);
    const before = contracts.count;
    const until = deps.clock.now() - settledMs;
    const changed = await addNewDeliveries(deps, { endpoint, formats, contracts, until, pause: p.pause });
    if (changed === null) return;
    if (contracts.count === before) continue;
    if (p.textsSince !== null)
      for (const contract of contracts.contracts.values()) removeOldTexts(contract, p.textsSince);
    const lastSeen = contracts.cursor?.at ?? 0;
    await deps.store.saveContracts({
      endpoint,
      revision: stored.revision,
      lastSeen,
      ...writeContracts(contracts, changed),
    });
  }
}

/** Adds the deliveries after the cursor, in order. Returns their kinds; `null`: it was stopped. */
async function addNewDeliveries(
  deps: Deps,
  {
    endpoint,
    formats,
    contracts,
    until,
    pause,
  }: {
    endpoint: string;
    formats: readonly BodyFormat[];
    contracts: EndpointContracts;
    until?: number;
    pause: (tookMs: number) => Promise<boolean>;
  },
): Promise<Set<string> | null> {
  const kinds = new Set<string>();
  let tookMs = 0;
  for (const delivery of await listNew(deps, { endpoint, cursor: contracts.cursor, until })) {
    if (!(await pause(tookMs))) return null;
    const began = performance.now();
    const sample = await readSample(deps, delivery.id, formats);
    if (sample) {
      const { body, headers, seenAt } = sample;
      const decisions = decisionsOf(delivery.verdicts, body);
      const event = { id: delivery.id, kind: eventKind(body, headers), body, seenAt, decisions };
      const kind = addDelivery(contracts, event);
      if (kind !== null) kinds.add(kind);
    }
    tookMs = performance.now() - began;
  }
  return kinds;
}

/** The newest deliveries after the cursor, the oldest first. */
async function listNew(
  { store, clock }: Deps,
  { endpoint, cursor, until }: { endpoint: string; cursor: EndpointContracts["cursor"]; until: number | undefined },
): Promise<DeliverySummary[]> {
  const since = cursor?.at ?? clock.now() - firstPeriodMs;
  const found: DeliverySummary[] = [];
  const filter = { endpoint, since, ...(until !== undefined && { until }) };
  for await (const { data } of readPages((page) => store.listDeliveries(filter, { limit: 100, cursor: page }))) {
    found.push(...data.filter((delivery) => isUsable(delivery, true) && isAfter(delivery, cursor)));
    if (found.length >= maxDeliveries) break;
  }
  return found.slice(0, maxDeliveries).reverse();
}

function isAfter(
  { receivedAt, id }: Pick<Delivery, "receivedAt" | "id">,
  cursor: EndpointContracts["cursor"],
): boolean {
  const at = Date.parse(receivedAt);
  return cursor === null || at > cursor.at || (at === cursor.at && id > cursor.id);
}

/** One decision of each trigger: its targets share it. */
function decisionsOf(verdicts: readonly Verdict[], body: Json): EventSample["decisions"] {
  const triggers = new Map(verdicts.map((verdict) => [verdict.trigger, verdict]));
  return [...triggers.values()].flatMap((verdict) => toDecision(verdict, body));
}

/** A body that only the filter stopped has the shape that the trigger expects. */
function toDecision({ trigger, outcome, reasons }: Verdict, body: Json): EventSample["decisions"][number][] {
  if (isOtherEvent({ reasons })) return [];
  if (outcome === "matched" || outcome === "filter_mismatch") return [{ trigger, isAccepted: true, reason: null }];
  const [reason] = reasons;
  if (outcome !== "request_mismatch" || !reason) return [];
  const { pointer, expected } = reason;
  const actual = jsonType(valueAt(body, fromPointer(pointer)));
  return [
    {
      trigger,
      isAccepted: false,
      reason: { pointer: pointer.slice(0, 256), expected: expected?.slice(0, 120) ?? null, actual },
    },
  ];
}

function jsonType(value: Json | undefined): string | null {
  if (value === undefined) return null;
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/**
 * The changes of the deliveries to one endpoint or to all, since a time in Unix milliseconds (default: the last 7
 * days). It includes the deliveries since the last update, and writes nothing.
 */
export async function readDrift(
  deps: Deps & { project: ProjectReader },
  {
    endpoint,
    since,
    signal,
  }: { endpoint?: string | undefined; since?: number | undefined; signal?: AbortSignal | undefined },
): Promise<DriftReport> {
  const endpoints = endpoint === undefined ? [...deps.project.current().byEndpoint.keys()].sort() : [endpoint];
  const end = elapsedMs(deps.clock) + maxReadMs;
  const report: DriftReport = { data: [], compared: [] };
  for (const each of endpoints) {
    const contracts = readStoredContracts(await deps.store.readContracts(each));
    const added = await addNewDeliveries(deps, {
      endpoint: each,
      formats: deps.project.current().byEndpoint.get(each)?.[0]?.body ?? onlyJson,
      contracts,
      pause: async () => {
        stopIfDisconnected(signal);
        return elapsedMs(deps.clock) < end;
      },
    });
    const found = findChanges(contracts, { since: since ?? deps.clock.now() - defaultPeriodMs });
    report.data.push(...found.slice(0, maxChanges).map(({ kind, drift }) => toChange(each, kind, drift)));
    report.compared.push({
      endpoint: each,
      kinds: contracts.kinds.size,
      deliveries: contracts.count,
      lastSeen: contracts.cursor && new Date(contracts.cursor.at).toISOString(),
      isComplete: added !== null,
    });
  }
  return report;
}

function toChange(endpoint: string, kind: string | null, drift: Drift): DriftChange {
  const { path, since, ...rest } = drift;
  return {
    endpoint,
    kind,
    ...rest,
    pointer: path === null ? null : pointerText(path),
    since: new Date(since).toISOString(),
    text: describeDrift(drift),
  };
}
