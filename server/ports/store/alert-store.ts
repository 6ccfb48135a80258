import type { Alert, AlertMessageType, Destination } from "../../contract/alert.ts";
import type { Page, PageRequest } from "../../contract/list.ts";
import type { ApprovalFact, FailureFact } from "../../domain/alerts/findings.ts";
import type { AlertPlan, StoredAlert } from "../../domain/alerts/plan-alerts.ts";

/** What the last evaluation left. */
export interface AlertState {
  /** When alerts were last evaluated, by any machine; `null`: never. */
  evaluatedAt: number | null;
  open: StoredAlert[];
  /** The newest alert of each kind and subject that ended since the given time. */
  ended: StoredAlert[];
  /** The messages to one destination since the given time: of the destination with the most. */
  recentMessages: number;
}

/** A message that this process has to send. */
export interface TakenMessage {
  id: string;
  type: AlertMessageType;
  destination: Destination;
  alert: StoredAlert;
  createdAt: number;
  /** This attempt, from 1. */
  attempt: number;
}

export type MessageOutcome =
  | { kind: "sent" }
  /** Tried again at this time. */
  | { kind: "retry"; at: number; error: string }
  | { kind: "failed"; error: string };

/** Alerts, their messages, and the facts about runs that decide about them. Times are UTC milliseconds. */
export interface AlertStore {
  /**
   * The runs of each target that failed permanently at or after its time, or at or after `since`. At most 100,000 runs
   * of a target are counted. Targets without any are missing.
   */
  listFailures(p: { since: number; sinceOf: ReadonlyMap<string, number> }): Promise<FailureFact[]>;
  /** The queued runs of these targets, in their order. At most `upTo` are counted. */
  countQueuedOf(targets: readonly { target: string; upTo: number }[]): Promise<number[]>;
  /** The approvals that were requested at or before this time and are undecided: at most 100, the oldest first. */
  listOldApprovals(requestedBefore: number): Promise<ApprovalFact[]>;
  readAlertState(p: { endedSince: number; messagesSince: number }): Promise<AlertState>;
  /**
   * Writes the result of an evaluation, with its messages, atomically. `false`: another machine has evaluated since
   * this state was read, and nothing was written.
   */
  saveAlertPlan(p: { plan: AlertPlan; evaluatedAt: number | null; now: number }): Promise<boolean>;
  /**
   * Takes due messages, the oldest first, for `leaseMs`. No other process gets them in that time. A message whose
   * outcome is not written by then is due again.
   */
  takeMessages(p: { now: number; leaseMs: number; limit: number }): Promise<TakenMessage[]>;
  /** Ignored if the message was taken again since. */
  finishMessage(p: { id: string; attempt: number; outcome: MessageOutcome; now: number }): Promise<void>;
  /** Newest first. */
  listAlerts(filter: { isActive?: boolean }, page: PageRequest): Promise<Page<Alert>>;
  countActiveAlerts(): Promise<number>;
  /** Removes alerts that ended before this time, with their messages. `next: true`: there are more. */
  removeOldAlerts(p: { before: number }): Promise<{ removed: number; next: true | null }>;
}
