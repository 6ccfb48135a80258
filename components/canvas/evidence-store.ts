import type { Activity, EndpointActivity, TargetActivity, VerdictCounts } from "./model/answers.ts";
import { type Evidence, evidenceOfTrigger } from "./model/evidence.ts";
import { endpointId, routeId, targetId } from "./model/node-id.ts";

/**
 * Traffic data outside React: a node subscribes to its own keys and renders again only when they change. Keys are ids
 * of endpoints, targets, attachments and routes.
 */
export interface EvidenceStore {
  feed(activity: Activity): void;
  endpoint(id: string): EndpointActivity | undefined;
  target(id: string): TargetActivity | undefined;
  /** The counts of a trigger (all its attachments) or of a route. The same object until it changes. */
  evidence(counts: readonly string[]): Evidence | undefined;
  /** Start of the counted time window; `null` before data is loaded. */
  since(): string | null;
  /** Increases with every change. */
  version(): number;
  subscribe(keys: readonly string[], listener: () => void): () => void;
  subscribeAll(listener: () => void): () => void;
}

export function createEvidenceStore(): EvidenceStore {
  const endpoints = new Map<string, EndpointActivity>();
  const targets = new Map<string, TargetActivity>();
  const counted = new Map<string, VerdictCounts>();
  const computed = new WeakMap<readonly string[], Evidence>();
  const watchers = createWatchers();
  let since: string | null = null;
  let version = 0;

  return {
    feed(activity) {
      since = activity.since;
      const changed = [
        ...activity.endpoints.flatMap((one) => put(endpoints, endpointId(one.endpoint), one)),
        ...activity.targets.flatMap((one) => put(targets, targetId(one.target), one)),
        ...activity.triggers.flatMap(({ attachmentId, ...counts }) => put(counted, attachmentId, counts)),
        ...activity.routes.flatMap(({ endpoint, target, ...counts }) =>
          put(counted, routeId(endpoint, target), counts),
        ),
      ];
      if (changed.length === 0) return;
      version += 1;
      watchers.notify(changed);
    },
    endpoint: (id) => endpoints.get(id),
    target: (id) => targets.get(id),
    evidence(counts) {
      const known = counts.flatMap((id) => counted.get(id) ?? []);
      if (known.length === 0) return undefined;
      const evidence = evidenceOfTrigger(known);
      const before = computed.get(counts);
      if (before && isEqual(before, evidence)) return before;
      computed.set(counts, evidence);
      return evidence;
    },
    since: () => since,
    version: () => version,
    subscribe: watchers.subscribe,
    subscribeAll: (listener) => watchers.subscribe([everything], listener),
  };
}

const everything = "*";

function createWatchers() {
  const listeners = new Map<string, Set<() => void>>();
  return {
    subscribe(keys: readonly string[], listener: () => void): () => void {
      for (const key of keys) {
        const set = listeners.get(key) ?? new Set();
        listeners.set(key, set.add(listener));
      }
      return () => {
        for (const key of keys) listeners.get(key)?.delete(listener);
      };
    },
    notify(keys: readonly string[]): void {
      const notified = new Set([...keys, everything].flatMap((key) => [...(listeners.get(key) ?? [])]));
      for (const listener of notified) listener();
    },
  };
}

/** Stores a value. Returns its key if the value changed. */
function put<Value>(map: Map<string, Value>, key: string, value: Value): string[] {
  if (isEqual(map.get(key), value)) return [];
  map.set(key, value);
  return [key];
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
