import type { AlertMessageType, Destination } from "../../contract/alert.ts";
import { newId } from "../ids.ts";
import type { Finding } from "./findings.ts";

/** An alert in the store. Times are UTC milliseconds. */
export interface StoredAlert extends Omit<Finding, "firstAt" | "sentAs"> {
  id: string;
  openedAt: number;
  resolvedAt: number | null;
  /** The count in its last message; `null`: none was planned yet. */
  reportedCount: number | null;
}

interface PlannedMessage {
  id: string;
  type: AlertMessageType;
  destination: Destination;
  alert: StoredAlert;
}

export interface AlertPlan {
  /** New and changed alerts. */
  alerts: StoredAlert[];
  messages: PlannedMessage[];
}

/** A cause that lasts longer opens a new alert, which reminds of it. */
export const maxAlertMs = 24 * 3_600_000;
/** Messages to one destination in an hour. Further alerts are reported later, or only shown. */
export const maxMessagesPerHour = 30;
/** A further message is sent when the count has grown by this factor. */
const reportFactor = 10;

/**
 * Decides which alerts open, continue and end, and which messages are sent. However often a cause is found, it has one
 * open alert. A message that fails is no cause, so alerts cannot cause alerts.
 */
export function planAlerts(p: {
  findings: readonly Finding[];
  open: readonly StoredAlert[];
  destinations: readonly Destination[];
  /** The number of messages of the last hour to each destination. */
  recentMessages: number;
  now: number;
}): AlertPlan {
  const { findings, open, now } = p;
  const found = new Map(findings.map((finding) => [nameOf(finding), finding]));
  const continued = open.map((alert) => continueAlert(alert, found.get(nameOf(alert)), now));
  const known = new Set(open.map(nameOf));
  const opened = findings.filter((finding) => !known.has(nameOf(finding))).map((finding) => openAlert(finding, now));
  const before = new Map(open.map((alert) => [alert.id, alert]));
  const messages: PlannedMessage[] = [];
  let left = Math.max(0, maxMessagesPerHour - p.recentMessages);
  const alerts = [...continued, ...opened].map((alert) => {
    const type = messageOf(alert);
    if (type === null || left === 0 || p.destinations.length === 0) return alert;
    left -= 1;
    const reported = { ...alert, reportedCount: alert.count };
    for (const destination of p.destinations)
      messages.push({ id: newId("msg", now), type, destination, alert: reported });
    return reported;
  });
  return { alerts: alerts.filter((alert) => hasChanged(before.get(alert.id), alert)), messages };
}

function openAlert({ firstAt, sentAs, ...finding }: Finding, now: number): StoredAlert {
  return {
    ...finding,
    id: sentAs ?? newId("alt", now),
    openedAt: Math.min(firstAt, now),
    resolvedAt: null,
    reportedCount: sentAs === undefined ? null : finding.count,
  };
}

function continueAlert(alert: StoredAlert, finding: Finding | undefined, now: number): StoredAlert {
  if (!finding) return { ...alert, resolvedAt: now };
  const { count, lastAt, detail } = finding;
  const isOver = now - alert.openedAt >= maxAlertMs;
  // Counts of a window can become smaller: an alert shows the largest.
  return {
    ...alert,
    count: Math.max(count, alert.count),
    lastAt: Math.max(lastAt, alert.lastAt),
    detail,
    resolvedAt: isOver ? now : null,
  };
}

/** `null`: there is nothing to report. */
function messageOf({ reportedCount, count, resolvedAt }: StoredAlert): AlertMessageType | null {
  if (reportedCount === null) return resolvedAt === null ? "alert.opened" : null;
  if (resolvedAt !== null) return "alert.resolved";
  return count >= reportedCount * reportFactor ? "alert.updated" : null;
}

function hasChanged(before: StoredAlert | undefined, after: StoredAlert): boolean {
  return (
    !before ||
    before.count !== after.count ||
    before.resolvedAt !== after.resolvedAt ||
    before.reportedCount !== after.reportedCount ||
    JSON.stringify(before.detail) !== JSON.stringify(after.detail)
  );
}

function nameOf({ kind, subject }: Pick<Finding, "kind" | "subject">): string {
  return `${kind} ${subject}`;
}
