import type { RunStatus } from "../../server/contract/run.ts";
import { isFinal } from "../../server/domain/run-state.ts";
import type { Logger } from "../../server/ports/logger.ts";
import { targetLogFields } from "../../server/ports/run-log-fields.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ServiceEvents } from "./service-events.ts";
import { renderReady } from "./text-events.ts";

/** `signalbox start` prints its URL on stdout. All other events are log lines. */
export function createDeployedEvents({ terminal, logger }: { terminal: Terminal; logger: Logger }): ServiceEvents {
  return {
    ready({ url, localUrl, manifest }) {
      terminal.out.write(renderReady({ url, localUrl, manifest, paint: terminal.out.paint, isDevelopment: false }));
      logger.info("ready", { url, version: manifest.version });
    },
    working({ manifest, healthPort }) {
      const { name, version } = manifest;
      terminal.out.write(
        `\n${terminal.out.paint("strong", name)} ${terminal.out.paint("dim", version)} executes runs${healthPort === null ? "" : `; health checks on port ${healthPort}`}\n\n`,
      );
      logger.info("working", { version, healthPort });
    },
    runEnded({ runId, deliveryId, target, trigger, attempt, status, durationMs, error }) {
      const hasFailed = status === "failed" || status === "timed_out";
      logger[hasFailed ? "warn" : "info"](describeEnd(status), {
        runId,
        deliveryId,
        ...targetLogFields(target),
        trigger,
        attempt,
        status,
        durationMs,
        error,
      });
    },
    delivery() {},
    notice: (level, message) => logger[level](message),
    stopping: () => logger.info("stopping"),
    reloaded: () => {},
    unchanged: () => {},
    buildFailed: () => {},
  };
}

/**
 * Workers report each time that they release a run. It may also sleep, wait for its next attempt or an approval, or
 * return to the queue.
 */
function describeEnd(status: RunStatus): string {
  if (isFinal(status)) return "run ended";
  return status === "waiting" ? "run is waiting" : "run returned to the queue";
}
