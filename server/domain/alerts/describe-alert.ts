import type { AlertMessageType, SentAlert } from "../../contract/alert.ts";
import type { Json } from "../../contract/json.ts";
import { formatBytes, formatCount, formatInterval, formatNumber, formatShare } from "../../shared/format.ts";
import { hostOf } from "../machine-name.ts";
import type { StoredAlert } from "./plan-alerts.ts";

/** An alert as it is listed and sent, without its messages. */
export function describeAlert(alert: StoredAlert): Omit<SentAlert, "url"> {
  const { id, kind, count, detail, openedAt, lastAt, resolvedAt } = alert;
  const subject = kind === "store_unavailable" ? hostOf(alert.subject) : alert.subject;
  return {
    id,
    kind,
    subject,
    status: resolvedAt === null ? "active" : "resolved",
    ...textOf({ ...alert, subject }),
    count,
    detail,
    openedAt: new Date(openedAt).toISOString(),
    lastAt: new Date(lastAt).toISOString(),
    resolvedAt: resolvedAt === null ? null : new Date(resolvedAt).toISOString(),
  };
}

function textOf({ kind, subject, count, detail, openedAt }: StoredAlert): { title: string; path: string } {
  const target = subject.replace(":", " ");
  const slug = encodeURIComponent(subject.slice(subject.indexOf(":") + 1));
  switch (kind) {
    case "run_failed":
      return {
        title: `${formatCount(count, "run")} of ${target} failed`,
        path: `/runs?status=failed&target=${slug}&since=${encodeURIComponent(new Date(openedAt).toISOString())}`,
      };
    case "mismatches": {
      const [mismatches, deliveries] = [numberOf(detail["mismatches"]), numberOf(detail["deliveries"])];
      return {
        title: `${formatShare(mismatches, deliveries)} of ${formatCount(deliveries, "delivery", "deliveries")} to endpoint ${subject} matched no trigger within ${formatInterval(numberOf(detail["withinMs"]))}`,
        path: `/deliveries?endpoint=${encodeURIComponent(subject)}`,
      };
    }
    case "queue_full":
      return {
        title: `The queue of ${target} is full: ${formatNumber(numberOf(detail["queued"]))} of ${formatNumber(numberOf(detail["maxQueued"]))} runs`,
        path: `/runs?status=queued&target=${slug}`,
      };
    case "approval_pending":
      return {
        title: `A tool call of ${textOr(detail["target"]).replace(":", " ")} has waited for its approval since ${textOr(detail["requestedAt"])}`,
        path: `/runs/${encodeURIComponent(subject)}`,
      };
    case "key_expiring":
      return {
        title: `${detail["keyKind"] === "api" ? "API token" : "Webhook key"} ${textOr(detail["name"])} expires at ${textOr(detail["expiresAt"])}`,
        path: "/settings/keys",
      };
    case "workers_blocked":
    case "runs_late":
      return { title: textOr(detail["text"]).replace(/\.$/, ""), path: "/runs?status=queued" };
    case "runs_left_build":
      return {
        title: `${formatCount(count, "run")} of build ${subject} ${count === 1 ? "continues" : "continue"} on build ${textOr(detail["version"])}: no machine has the build that accepted ${count === 1 ? "it" : "them"}`,
        path: "/settings/builds",
      };
    case "disk_space":
      return {
        title: `The disk of ${subject} has ${formatBytes(numberOf(detail["freeBytes"]))} of ${formatBytes(numberOf(detail["totalBytes"]))} free`,
        path: "/alerts",
      };
    case "store_unavailable":
      return {
        title: `The store of ${subject} was unavailable since ${textOr(detail["since"])}`,
        path: "/alerts",
      };
  }
}

const words: Record<AlertMessageType, string> = {
  "alert.opened": "Alert",
  "alert.updated": "Still active",
  "alert.resolved": "Resolved",
};

/** The text of a Slack message, in its markup. */
export function toSlackText(type: AlertMessageType, { title, url, detail }: SentAlert): string {
  const errors = Array.isArray(detail["runs"])
    ? detail["runs"].map((run) => (isRecord(run) ? `\n• ${escapeSlack(textOr(run["error"]))}` : ""))
    : [];
  return `*${words[type]}*: <${escapeSlack(url)}|${escapeSlack(title)}>${type === "alert.resolved" ? "" : errors.join("")}`;
}

/** Slack reads these three characters as markup. */
function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function isRecord(value: Json): value is { [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const numberOf = (value: Json | undefined) => (typeof value === "number" ? value : 0);
const textOr = (value: Json | undefined) => (typeof value === "string" ? value : "");
