import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { rejectCrossSite } from "../../auth/authenticate/cross-site.ts";
import { createWebhookAuthenticator } from "../../auth/keys/check-key.ts";
import type { Mode, Settings } from "../../config.ts";
import { AppError } from "../../contract/app-error.ts";
import { oncePerTurn } from "../../domain/event-loop.ts";
import { type BodyBudget, createBodyBudget } from "../../domain/requests/request-body.ts";
import { type ReceiverEvent, respondProblem } from "../../ingest/accept.ts";
import type { IngestRequest, IngestResponse } from "../../ingest/ingest-request.ts";
import { createReceiver, type Receive } from "../../ingest/receive.ts";
import { systemClock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { ProjectReader } from "../../ports/project.ts";
import type { Signals } from "../../ports/signals.ts";
import type { Store } from "../../ports/store.ts";
import { forgetHeaders, endConnectionAfter, type TrustedProxies } from "../connections.ts";
import { explainRemote } from "../explain-remote.ts";
import { isFromProxy, remoteReasonOf } from "../read-client.ts";
import { formatInterval } from "../../shared/format.ts";

/**
 * `findRemoteReason`: why the request was not made on this machine, or `null`. It reads all headers, so a deployed
 * service does not call it.
 */
export type Ingest = (request: IngestRequest, findRemoteReason: () => string | null) => Promise<IngestResponse>;

/** Creates the pipeline of webhooks for one store and one project: in the receiver, and in web for forms. */
export function createIngest(p: {
  settings: Settings;
  store: Store;
  project: ProjectReader;
  signals?: Pick<Signals, "runsQueued">;
  logger: Logger;
  stopping: AbortSignal;
  onEvent: (event: ReceiverEvent) => void;
  bodies?: BodyBudget;
}): { ingest: Ingest; receiveIn(mode: Mode): Receive } {
  const { settings, store, stopping } = p;
  const { limits, maxBodyBytes } = settings;
  const bodies = p.bodies ?? createBodyBudget(maxBodyBytes);
  const readSwitches = oncePerTurn(() => store.listDisabledTriggers());

  // In development, the response says why a request is not local.
  const hasUsedKeys = settings.mode === "deployed" ? () => store.hasUsedKeys() : undefined;

  function create(mode: Mode): Receive {
    const common = { ...p, clock: systemClock, mode };
    return createReceiver({
      ...common,
      maxBodyBytes,
      baseUrl: settings.baseUrl,
      bodies,
      authenticate: createWebhookAuthenticator({ ...common, hasUsedKeys }),
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
  const guarded = guardDevelopment(development);
  async function ingestInDevelopment(request: IngestRequest, reason: string | null): Promise<IngestResponse> {
    if (reason === null) return guarded(request);
    const answer = await deployed(request);
    if (answer.status !== 401) return answer;
    const [path = ""] = request.target.split("?", 1);
    return { ...answer, body: explainRemote(p.logger, answer.body, { reason, path }) };
  }
  return {
    ingest: (request, findRemoteReason) =>
      settings.mode === "development" ? ingestInDevelopment(request, findRemoteReason()) : deployed(request),
    receiveIn: (mode) => (mode === "development" ? development : deployed),
  };
}

/**
 * In development, local webhooks need no key. So a page of another site in a browser on this machine must not send one:
 * such requests get 403 and are not recorded.
 */
function guardDevelopment(
  ingest: (request: IngestRequest) => Promise<IngestResponse>,
): (request: IngestRequest) => Promise<IngestResponse> {
  return async (request) => {
    try {
      rejectCrossSite({ url: "http://localhost/", headers: headersOf(request) });
    } catch (error) {
      if (error instanceof AppError) return respondProblem({ deliveryId: null, closesConnection: true }, error, []);
      throw error;
    }
    return ingest(request);
  };
}

/** The values of a repeated header are joined, and then match none of our names. */
function headersOf({ headers }: IngestRequest): Pick<Headers, "get"> {
  return {
    get(name) {
      const values = headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === name);
      return values.length === 0 ? null : values.join(", ");
    },
  };
}

/**
 * The time that a sender has to read its response while the rest of its body is unread. It varies by half, so that
 * senders that were rejected together do not return together.
 */
const lingerMs = 1_000;

/**
 * Passes one HTTP request to the pipeline and sends the response. `expectsContinue`: the sender waits for `100
 * Continue` before it sends its body, which must be complete within `bodyTimeoutMs`.
 */
export async function handleWebhook(p: {
  ingest: Ingest;
  target: string;
  request: IncomingMessage;
  response: ServerResponse;
  expectsContinue: boolean;
  bodyTimeoutMs: number;
  proxies: TrustedProxies;
}): Promise<void> {
  const { request, response, target } = p;
  const answer = await p.ingest(
    {
      method: request.method ?? "",
      target,
      headers: request.rawHeaders,
      isFromProxy: () => isFromProxy(request, p.proxies),
      isAbandoned: () => response.destroyed || !request.socket.writable,
      readBody(take) {
        if (p.expectsContinue) response.writeContinue();
        if (!request.complete || request.destroyed) return readChunks(request, { take, withinMs: p.bodyTimeoutMs });
        // Usually the whole body comes with the head: no need to listen for it, nor to limit its time.
        const body: Buffer | null = request.read();
        if (body) take(body);
      },
    },
    () => remoteReasonOf(request),
  );
  if (response.destroyed || response.writableEnded) return;
  return send(request, response, answer);
}

/**
 * Reads the body by events, which are much cheaper than a stream's iterator. If reading stops early, the request is
 * only paused: the response must still be sent on the same connection.
 */
function readChunks(
  request: IncomingMessage,
  { take, withinMs }: { take: (chunk: Uint8Array) => boolean; withinMs: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    const cutOff = () => fail(new Error("The request was cut off"));
    const onData = (chunk: Uint8Array) => {
      if (take(chunk)) return;
      detach();
      done();
    };
    const detach = () => {
      request.off("data", onData);
      request.pause();
    };
    const done = () => {
      clearTimeout(timer);
      request.off("close", cutOff);
      resolve();
    };
    const timer = setTimeout(() => {
      detach();
      fail(new AppError("request_timeout", `The body was not received within ${formatInterval(withinMs)}.`));
    }, withinMs);
    if (request.destroyed) return cutOff();
    request.on("error", fail);
    request.on("close", cutOff);
    request.on("end", () => (request.complete ? done() : cutOff()));
    request.on("data", onData);
  });
}

function send(request: IncomingMessage, response: ServerResponse, answer: IngestResponse): void | Promise<void> {
  const { body, headers } = answer;
  if (answer.status !== 204) headers["content-length"] = String(Buffer.byteLength(body));
  if (answer.closesConnection) endConnectionAfter(response);
  response.writeHead(answer.status, headers);
  if (!answer.closesConnection || request.complete) {
    response.end(body);
    return;
  }
  return endSlowly(request, response, body);
}

/**
 * If the server closes the connection while the sender still writes, the sender's system drops the response (RFC 9112,
 * 9.6). So the complete response is sent, further bytes stay unread, and the connection is closed a moment later.
 */
async function endSlowly(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
  response.write(body);
  forgetHeaders(request);
  await Promise.race([once(response, "close"), pause(lingerMs * (0.5 + Math.random()))]);
  response.end();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
