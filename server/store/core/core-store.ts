import type { PresetStore, SwitchStore } from "../../ports/store.ts";
import type { AlertStore } from "../../ports/store/alert-store.ts";
import type { ContractStore } from "../../ports/store/contract-store.ts";
import type { KeyStore } from "../../ports/store/key-store.ts";
import type { AuditStore, IdentityRows, PeopleStore } from "../../ports/store/people-store.ts";
import { createAlertFacts } from "./alert-facts.ts";
import { createAlertStore } from "./alerts.ts";
import { createAuditStore } from "./audit.ts";
import { type ChildRunOperations, createChildRuns } from "./child-runs.ts";
import { type ClockWatchRows, createClockWatchStore } from "./clock-watch.ts";
import { type ContentKeyRows, createContentKeyStore } from "./content-keys.ts";
import { createContractStore } from "./contracts.ts";
import { createIdentityRows } from "./identity-rows.ts";
import { createInvitationStore } from "./invitations.ts";
import { createEventWaits, type EventWaitOperations } from "./event-waits.ts";
import { createKeyLimits, type KeyLimits } from "./key-limits.ts";
import type { CurrentLimits } from "../../domain/runs/run-limits.ts";
import { createKeyStore } from "./keys.ts";
import { createOpenRunStore, type OpenRunReads } from "./open-runs.ts";
import { createPeopleStore } from "./people.ts";
import type { StoreDatabase } from "./store-database.ts";
import { createPresetStore } from "./presets.ts";
import { createRunDecisions, type RunDecisions } from "./run-decisions.ts";
import { createRunStarts, type RunStarts } from "./run-starts.ts";
import { createRunWaitReads, type RunWaitReads } from "./run-waits.ts";
import { createSwitchStore } from "./switches.ts";

export type CoreStore = KeyStore &
  PeopleStore &
  AuditStore &
  IdentityRows &
  PresetStore &
  SwitchStore &
  AlertStore &
  OpenRunReads &
  RunDecisions &
  RunStarts &
  RunWaitReads &
  EventWaitOperations &
  ChildRunOperations &
  KeyLimits &
  ContractStore &
  ContentKeyRows &
  ClockWatchRows;

/** The operations that both databases share. */
export function createCoreStore(database: StoreDatabase, limits: CurrentLimits): CoreStore {
  return {
    ...createAlertStore(database),
    ...createAlertFacts(database),
    ...createOpenRunStore(database),
    ...createRunDecisions(database),
    ...createRunStarts(database),
    ...createRunWaitReads(database),
    ...createEventWaits(database),
    ...createChildRuns(database),
    ...createKeyLimits(database, limits),
    ...createKeyStore(database),
    ...createPeopleStore(database),
    ...createInvitationStore(database),
    ...createAuditStore(database),
    ...createIdentityRows(database),
    ...createPresetStore(database),
    ...createSwitchStore(database),
    ...createContractStore(database),
    ...createContentKeyStore(database),
    ...createClockWatchStore(database),
  };
}
