import { createWebhookAuthenticator } from "../auth/authenticate/webhook-authenticator.ts";
import type { Mode, Settings } from "../config.ts";
import type { ReceiverEvent } from "../ingest/delivery-record.ts";
import { oncePerTurn } from "../domain/event-loop.ts";
import { type BodyBudget, createBodyBudget } from "../domain/requests/request-body.ts";
import { guardDevelopment, type Ingest } from "../http/webhooks/webhook-handler.ts";
import { createReceiver, type Receive } from "../ingest/receive.ts";
import { systemClock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { Store } from "../ports/store.ts";

/** Creates the pipeline of webhooks for one store and one project: in the receiver, and in web for forms. */
export function createIngest(p: {
  settings: Settings;
  store: Store;
  project: ProjectReader;
  signals: Signals;
  logger: Logger;
  stopping: AbortSignal;
  onEvent: (event: ReceiverEvent) => void;
  bodies?: BodyBudget;
}): { ingest: Ingest; receiveIn(mode: Mode): Receive } {
  const { settings, store, stopping } = p;
  const { limits, maxBodyBytes } = settings;
  const bodies = p.bodies ?? createBodyBudget(maxBodyBytes);
  const readSwitches = oncePerTurn(() => store.listDisabledTriggers());

  function create(mode: Mode): Receive {
    const common = { ...p, clock: systemClock, mode };
    return createReceiver({
      ...common,
      maxBodyBytes,
      bodies,
      authenticate: createWebhookAuthenticator(common),
      limits,
      takeRates: store.takeRates,
      isShuttingDown: () => stopping.aborted,
      // Webhooks of one turn of the event loop share one read. A change by another process takes effect in the next
      // turn.
      disabledTriggers: () => readSwitches("all"),
    });
  }

  // Only requests of this machine get development mode. All others are handled as in a deployed service.
  const deployed = create("deployed");
  const development = settings.mode === "development" ? create("development") : deployed;
  const guarded = settings.mode === "development" ? guardDevelopment(development) : deployed;
  return {
    ingest: (request, isLocal) => (settings.mode === "development" && isLocal() ? guarded : deployed)(request),
    receiveIn: (mode) => (mode === "development" ? development : deployed),
  };
}
