import type { DisabledTriggers } from "../contract/disabled.ts";
import type { Json } from "../contract/json.ts";
import type { Preset, PresetSubject } from "../contract/preset.ts";
import type { RateCheck, RateResult } from "../domain/requests/rate-limit.ts";
import type { StoreStall } from "../domain/store-stall.ts";
import type { StoreNumbers } from "../domain/tallies.ts";
import type { AlertStore } from "./store/alert-store.ts";
import type { ContentKeyStore } from "./store/content-key-store.ts";
import type { ContractStore } from "./store/contract-store.ts";
import type { DeliveryStore } from "./store/delivery-store.ts";
import type { EngineStore } from "./store/engine-store.ts";
import type { FeedStore } from "./store/feed-store.ts";
import type { KeyStore } from "./store/key-store.ts";
import type { OpenRunStore } from "./store/open-run-store.ts";
import type { AuditStore, IdentityRows, PeopleStore } from "./store/people-store.ts";
import type { RunStore } from "./store/run-store.ts";
import type { TrafficStore } from "./store/traffic-store.ts";
import type { UpkeepStore } from "./store/upkeep-store.ts";

/**
 * The store: deliveries, runs, steps, timelines, keys and workers. Every operation is atomic. When its promise
 * resolves, its writes survive `kill -9` and power failures. Only claims, leases and workers can be lost in a power
 * failure, because no worker runs afterwards. Times are UTC milliseconds as arguments, and ISO 8601 in results of
 * contract types. An operation that is currently impossible rejects with AppError `store_unavailable`.
 */
export interface Store
  extends
    DeliveryStore,
    FeedStore,
    RunStore,
    TrafficStore,
    PresetStore,
    SwitchStore,
    EngineStore,
    OpenRunStore,
    KeyStore,
    PeopleStore,
    AuditStore,
    IdentityRows,
    AlertStore,
    UpkeepStore,
    ContractStore,
    ContentKeyStore {
  /** Rejects if the store is not writable. */
  ping(): Promise<void>;
  /**
   * Calls the listener soon (≤ 100 ms) after each write of this or another connection or process. Spurious calls are
   * possible. Returns a function that stops it.
   */
  watch(listener: () => void): () => void;
  /**
   * Calls the listener soon (≤ 100 ms) after another connection or process has made runs due, or requested the
   * cancellation of an active one. Spurious calls are possible. Only run hosts need it: on a shared store, it uses a
   * connection.
   */
  watchRuns(listener: () => void): () => void;
  /**
   * For each topic, a string that changes with every write that concerns it. Worker heartbeats concern none. Cheap: it
   * is read after every write.
   */
  mark(): Promise<StoreMark>;
  /** The same for the live output of agents' models. When it ends, the mark of `runs` changes. */
  liveMark(): Promise<string>;
  /**
   * Takes one token from each of the given rate limits, or from none if any is exhausted. The limits are shared by the
   * processes on all machines and use the store's clock. A crash of the store can lose taken tokens. Absent if only one
   * process receives, which counts by itself.
   */
  takeRates?(checks: readonly RateCheck[]): Promise<RateResult>;
  /** Whether the store has not responded to this process for some seconds. Absent: that is not watched. */
  stall?(): StoreStall | null;
  /** Statistics of this process's use of the store since it was opened. Reads nothing from the store. */
  numbers(): Promise<StoreNumbers>;
  close(): Promise<void>;
}

export const storeTopics = ["deliveries", "runs", "presets", "switches", "alerts"] as const;

export type StoreTopic = (typeof storeTopics)[number];

export type StoreMark = Record<StoreTopic, string>;

export interface PresetStore {
  /** By name. */
  listPresets(subject: PresetSubject): Promise<Preset[]>;
  /** Replaces the preset with the same subject and name. */
  savePreset(p: { id: string; subject: PresetSubject; name: string; value: Json; now: number }): Promise<Preset>;
  /** Returns `false` if there is no such preset. */
  removePreset(id: string): Promise<boolean>;
}

export interface SwitchStore {
  /** The disabled triggers. Cheap: read in every turn of the event loop that receives webhooks. */
  listDisabledTriggers(): Promise<DisabledTriggers>;
  /**
   * Disables (`disable`) or enables (`null`) a trigger, even if the project has no trigger with this slug. An already
   * disabled trigger keeps its time, and its reason unless a new one is given. Returns whether it was disabled before.
   */
  switchTrigger(p: { slug: string; disable: { at: number; reason: string | null } | null }): Promise<boolean>;
}
