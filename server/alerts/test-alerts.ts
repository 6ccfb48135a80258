import type { AlertTest } from "../contract/alert.ts";
import { AppError } from "../contract/app-error.ts";
import type { AlertSettings } from "../config.ts";
import { newId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import { listDestinations } from "./evaluate-alerts.ts";
import { sendMessage } from "./send-message.ts";

/** Sends a test message to each destination, once. Records nothing. Throws AppError `invalid_request` if there is none. */
export async function testAlerts(deps: {
  alerts: AlertSettings | null;
  baseUrl: () => string;
  clock: Clock;
}): Promise<AlertTest[]> {
  const { alerts, clock } = deps;
  const destinations = alerts ? listDestinations(alerts.destinations) : [];
  if (!alerts || destinations.length === 0)
    throw new AppError(
      "invalid_request",
      `Alerts have no destination. ${alerts ? "Set" : "Write alerts: {} in signalbox.config.ts, set"} SIGNALBOX_ALERT_SLACK_URL, or SIGNALBOX_ALERT_WEBHOOK_URL and SIGNALBOX_ALERT_WEBHOOK_SECRET, in the environment of the service, and restart it.`,
    );
  const now = clock.now();
  return await Promise.all(
    destinations.map(async (destination) => {
      const message = {
        id: newId("msg", now),
        destination,
        type: "alert.test" as const,
        at: now,
        alert: exampleAt(now),
      };
      const result = await sendMessage(message, { ...alerts, baseUrl: deps.baseUrl(), now });
      return { destination, isSent: result.isSent, error: result.isSent ? null : result.error };
    }),
  );
}

function exampleAt(now: number) {
  return {
    id: newId("alt", now),
    kind: "run_failed" as const,
    subject: "workflow:example",
    count: 1,
    detail: { runs: [] },
    openedAt: now,
    lastAt: now,
    resolvedAt: null,
    reportedCount: null,
  };
}
