import type { ApiAuthenticator, Client, Principal } from "../../auth/access/principal.ts";
import type { KeyCipher } from "../../auth/keys/service-secret.ts";
import type { TakeSlot } from "../../auth/limits/request-slots.ts";
import type { Mode } from "../../config.ts";
import type { BodyBudget } from "../../domain/requests/request-body.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { ProjectReader } from "../../ports/project.ts";
import type { Signals } from "../../ports/signals.ts";
import type { Store } from "../../ports/store.ts";
import type { Metrics } from "./metrics/create-metrics.ts";

/** The dependencies of the REST routes. */
export interface RestDeps {
  store: Store;
  project: ProjectReader;
  signals: Signals;
  clock: Clock;
  logger: Logger;
  mode: Mode;
  maxBodyBytes: number;
  /** Bounds what one key or person has in progress. */
  takeSlot: TakeSlot;
  /** The memory for all bodies that are in progress. */
  bodies: BodyBudget;
  /** Where the world reaches this service, without a trailing slash. Asked per request: the port may be known late. */
  baseUrl: () => string;
  cipher: KeyCipher;
  /** Says who asks. The command line, in its own process, puts `() => Promise.resolve({ kind: "local" })` here. */
  authenticate: ApiAuthenticator;
  metrics: Metrics;
  /** Aborted when the service begins to stop: streams end, waits are answered, /readyz says no. */
  stopping: AbortSignal;
}

export interface RestEnv {
  Bindings: RestDeps & { client: Client };
  Variables: { principal: Principal };
}
