import {
  CircleCheck,
  CircleDashed,
  CircleMinus,
  CirclePlus,
  CircleSlash,
  CircleX,
  Clock,
  Hand,
  Inbox,
  ListX,
  LoaderCircle,
  Pause,
  Repeat2,
  SearchX,
  SkipForward,
  TimerOff,
  TriangleAlert,
  type LucideIcon,
} from "lucide-react";
import type { Alert } from "../../server/contract/alert.ts";
import type { FiringChange } from "../../server/contract/backtest.ts";
import type { DeliveryOutcome, Verdict, VerdictOutcome } from "../../server/contract/delivery.ts";
import type { Health } from "../../server/contract/traffic.ts";
import type { RunStatus } from "../../server/contract/run.ts";
import { fitsSome } from "../../server/shared/deliveries/describe-reason.ts";
import { isEnded } from "../../server/shared/runs/run-state.ts";

/** The colour of a status. A status is never shown by colour alone. */
export type Tone = "ok" | "run" | "wait" | "bad" | "idle";

/** The classes of each tone: of text and icons, of its soft ground, and of bars. */
export const toneTexts: Record<Tone, string> = {
  ok: "text-ok",
  run: "text-run",
  wait: "text-wait",
  bad: "text-bad",
  idle: "text-idle",
};
export const toneGrounds: Record<Tone, string> = {
  ok: "bg-ok-soft text-ok border-ok",
  run: "bg-run-soft text-run border-run",
  wait: "bg-wait-soft text-wait border-wait",
  bad: "bg-bad-soft text-bad border-bad",
  idle: "bg-idle-soft text-idle border-idle",
};

export interface StatusStyle {
  label: string;
  icon: LucideIcon;
  tone: Tone;
}

/** A status of what a page is about: its character is part of the title of the browser's tab. */
interface PageStatus extends StatusStyle {
  mark: string;
}

/** Label, icon, tone and mark of run statuses. */
export const runStatuses: Record<RunStatus, PageStatus> = {
  queued: { label: "queued", icon: CircleDashed, tone: "idle", mark: "○" },
  running: { label: "running", icon: LoaderCircle, tone: "run", mark: "●" },
  waiting: { label: "waiting", icon: Clock, tone: "wait", mark: "◔" },
  completed: { label: "completed", icon: CircleCheck, tone: "ok", mark: "✓" },
  failed: { label: "failed", icon: TriangleAlert, tone: "bad", mark: "✗" },
  canceled: { label: "canceled", icon: CircleSlash, tone: "idle", mark: "⊘" },
  timed_out: { label: "timed out", icon: TimerOff, tone: "bad", mark: "✗" },
};

/** A run that waits for approval. */
export const approvalStatus: StatusStyle = { ...runStatuses.waiting, label: "waits for approval", icon: Hand };

/** Label, icon and tone of health. The label says how much failed. */
export const healths: Record<Health, StatusStyle> = {
  unknown: { label: "", icon: CircleDashed, tone: "idle" },
  healthy: { label: "", icon: CircleCheck, tone: "ok" },
  degraded: { label: "some", icon: TriangleAlert, tone: "wait" },
  failing: { label: "most", icon: CircleX, tone: "bad" },
};

/** Label, icon, tone and mark of delivery outcomes. */
export const deliveryOutcomes: Record<DeliveryOutcome, PageStatus> = {
  accepted: { label: "accepted", icon: CircleCheck, tone: "ok", mark: "✓" },
  skipped: { label: "skipped", icon: SkipForward, tone: "idle", mark: "–" },
  rejected: { label: "rejected", icon: TriangleAlert, tone: "bad", mark: "✗" },
  repeated: { label: "repeated", icon: Repeat2, tone: "wait", mark: "↻" },
  held: { label: "held", icon: Inbox, tone: "run", mark: "◔" },
};

/** Label, icon and tone of verdicts. */
export const verdictOutcomes: Record<VerdictOutcome, StatusStyle> = {
  matched: { label: "matched", icon: CircleCheck, tone: "ok" },
  headers_mismatch: { label: "headers mismatch", icon: ListX, tone: "idle" },
  query_mismatch: { label: "query mismatch", icon: SearchX, tone: "idle" },
  request_mismatch: { label: "request mismatch", icon: TriangleAlert, tone: "bad" },
  filter_mismatch: { label: "filter mismatch", icon: SkipForward, tone: "idle" },
  disabled: { label: "disabled", icon: Pause, tone: "wait" },
};

/**
 * The style of one verdict among all verdicts of a delivery: a body that is wrong for some triggers only is what shared
 * endpoints receive, and no fault.
 */
export function verdictStyle(
  outcome: VerdictOutcome,
  all: readonly Pick<Verdict, "outcome" | "reasons">[],
): StatusStyle {
  const style = verdictOutcomes[outcome];
  return outcome === "request_mismatch" && fitsSome(all) ? { ...style, icon: ListX, tone: "idle" } : style;
}

/** Label, icon and tone of alerts. */
export const alertStatuses: Record<Alert["status"], StatusStyle> = {
  active: { label: "active", icon: TriangleAlert, tone: "bad" },
  resolved: { label: "resolved", icon: CircleCheck, tone: "idle" },
};

/** Whether a run can still change. */
export function isOpen(status: RunStatus): boolean {
  return !isEnded(status);
}

/** Label, icon and tone of the differences that a build makes. */
export const firingChanges: Record<FiringChange["change"], StatusStyle> = {
  gained: { label: "fires now", icon: CirclePlus, tone: "ok" },
  lost: { label: "no longer fires", icon: CircleMinus, tone: "bad" },
};
