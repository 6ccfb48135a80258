import type { ApiAuthenticator, Client, Principal } from "../../auth/access/principal.ts";
import type { KeyCipher } from "../../auth/keys/service-secret.ts";
import type { TakeSlot } from "../../auth/limits/request-slots.ts";
import type { AlertSettings, Mode, Settings } from "../../config.ts";
import type { Scope } from "../../contract/access/scope.ts";
import type { Json } from "../../contract/json.ts";
import type { BodyBudget } from "../../domain/requests/request-body.ts";
import type { Receive } from "../../ingest/receive.ts";
import type { Builds } from "../../ports/builds.ts";
import type { Clock } from "../../ports/clock.ts";
import type { InputChecks } from "../../ports/input-checks.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Masking } from "../../ports/masking.ts";
import type { ProjectReader } from "../../ports/project.ts";
import type { Signals } from "../../ports/signals.ts";
import type { Store } from "../../ports/store.ts";
import type { Metrics } from "./metrics/create-metrics.ts";

/** The dependencies of the REST routes. */
export interface RestDeps {
  /** Reads no sensitive values. */
  store: Store;
  /** Reads the recorded values: see `Masking`. */
  originals: Store;
  masking: Pick<Masking, "readMasks" | "restore">;
  project: ProjectReader;
  builds: Builds;
  inputs: InputChecks;
  signals: Signals;
  clock: Clock;
  logger: Logger;
  mode: Mode;
  maxBodyBytes: number;
  /** Limits the concurrent requests of one key or person. */
  takeSlot: TakeSlot;
  /** The memory for the bodies of all requests in progress. */
  bodies: BodyBudget;
  /** The public URL of this service, without a trailing slash. Called per request: the port may not be known earlier. */
  baseUrl: () => string;
  /** `null`: there are no alerts. */
  alerts: AlertSettings | null;
  /** Deliveries beyond it may have been removed. */
  retention: Settings["retention"];
  cipher: KeyCipher;
  /** The receiver of webhooks, for deliveries that a program sends with its token. */
  receive: Receive;
  /** Answers clients of the Model Context Protocol. Loaded on first use. */
  answerMcp: AnswerMcp;
  /** Authenticates a request. The command line, in its own process, uses `() => Promise.resolve({ kind: "local" })`. */
  authenticate: ApiAuthenticator;
  metrics: Metrics;
  /** Aborted when the service begins to stop: streams end, waiting requests are answered, and /readyz fails. */
  stopping: AbortSignal;
}

/**
 * Answers a request with the parsed `body`. The client may call the tools of its scope; `call` sends their requests to
 * these routes, with the permissions of the client.
 */
export type AnswerMcp = (
  request: Request,
  body: Json,
  client: { scope: Scope; call: (request: Request) => Promise<Response>; onDefect: (error: unknown) => void },
) => Promise<Response>;

export interface RestEnv {
  Bindings: RestDeps & { client: Client };
  Variables: {
    principal: Principal;
    /** Of an operation whose audit entry depends on its input. `choice`: the action of the call, if it has several. */
    audited?: { choice: string | null; subject?: string; detail: Json };
  };
}
