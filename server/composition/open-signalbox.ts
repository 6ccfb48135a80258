import { AsyncLocalStorage } from "node:async_hooks";
import { createApiAuthenticator } from "../auth/authenticate/api-authenticator.ts";
import { type Client, unknownClient } from "../auth/access/principal.ts";
import { deriveSessionSecret, createKeyCipher } from "../auth/keys/service-secret.ts";
import { hashInvitationToken } from "../auth/people/invitations.ts";
import { createRequestSlots } from "../auth/limits/request-slots.ts";
import { type Mode, readSecret, serviceUrl, type Settings } from "../config.ts";
import { createBodyBudget } from "../domain/requests/request-body.ts";
import { type AnonymousLimit, createAnonymousLimit } from "../http/anonymous-limit.ts";
import { createAuthHandler } from "../http/auth/auth-handler.ts";
import { explainRemote } from "../http/explain-remote.ts";
import { type PageGate, createPageGate } from "../http/pages/page-gate.ts";
import { createFetchHandler } from "../http/webhooks/fetch-handler.ts";
import { createMetrics } from "../http/rest/metrics/create-metrics.ts";
import { createRestApp } from "../http/rest/rest-app.ts";
import type { RestDeps } from "../http/rest/rest-deps.ts";
import type { ReceiverEvent } from "../ingest/accept.ts";
import { systemClock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Signals } from "../ports/signals.ts";
import type { createIdentity } from "../identity/create-identity.ts";
import type { Identity } from "../ports/identity.ts";
import type { InputChecks } from "../ports/input-checks.ts";
import type { Manifest } from "../contract/project/manifest.ts";
import type { Invitation } from "../contract/access/person.ts";
import type { Store } from "../ports/store.ts";
import type { ServiceReport } from "../ports/service-report.ts";
import type { AnswerMcp } from "../http/rest/rest-deps.ts";
import { createIngest } from "../http/webhooks/webhook-handler.ts";
import { openConfiguredStore } from "./open-configured-store.ts";
import { startStoreAlerts } from "./start-store-alerts.ts";
import { startStoreUpkeep } from "./start-store-upkeep.ts";
import { createMasking } from "../masking/masked-store.ts";
import { createMaskReader } from "../masking/read-masks.ts";
import { createBuilds } from "../project/kept-builds.ts";
import { createProjectReader, type ReloadableProject, requireSecrets } from "../project/project-reader.ts";
import { readDueWork } from "../ports/due-work.ts";
import { createTrpc } from "../trpc/create-trpc.ts";

/** The services of a web process, for one store and one project. HTTP and Next only pass requests to it. */
export interface Signalbox {
  settings: Settings;
  project: ReloadableProject;
  /** Receives a webhook if Next serves the app without Signalbox's server. */
  ingestFetch(request: Request): Promise<Response>;
  rest(request: Request, client?: Client): Promise<Response>;
  trpc(request: Request, client?: Client): Promise<Response>;
  /** Sign-in and sign-out. */
  auth(request: Request, client?: Client): Promise<Response>;
  /** Bounds anonymous requests, before `rest`, `trpc`, `auth` and pages. */
  limitAnonymous: AnonymousLimit;
  gate: PageGate;
  /** Renders a page; its reads use the permissions of this client. */
  renderPageFor<T>(client: Client, render: () => T): T;
  /** The mode of the page that is being rendered: `development` only for local requests. */
  pageMode(): Mode;
  /** The invitation of a link while it can be accepted. */
  findInvitation(token: string): Promise<Invitation | null>;
  /** Reads for a page; `headers` are those of the browser's request. */
  createCaller(headers: Headers): ReturnType<ReturnType<typeof createTrpc>["caller"]>;
  /** Sets the actual port of the server, for shown URLs. A base URL takes precedence. */
  setPort(port: number): void;
  /** Afterwards, webhooks get 503, streams end, and /readyz reports the shutdown. */
  beginShutdown(): void;
  close(): Promise<void>;
}

/** The only place where adapters are connected to ports, for a process that serves requests. */
export async function openSignalbox(p: {
  settings: Settings;
  inputs: InputChecks;
  signals: Signals;
  logger: Logger;
  onEvent?: ((event: ReceiverEvent, manifest: Manifest) => void) | undefined;
  /** The counts of the other processes, for metrics. */
  readService?: (() => Promise<ServiceReport | null>) | undefined;
}): Promise<Signalbox> {
  const { settings, signals, logger } = p;
  const store = await openConfiguredStore(settings, logger);
  const project = await createProjectReader(settings.stateDir);
  if (settings.mode === "deployed") requireSecrets(project.current());
  const stopping = new AbortController();
  const metrics = createMetrics({
    store,
    isDeclared: (endpoint) => project.current().byEndpoint.has(endpoint),
    readWork: () => readDueWork({ store, manifest: project.current().manifest, now: systemClock.now() }),
    readService: p.readService,
  });
  const secret = readSecret(settings.stateDir);
  const builds = createBuilds(settings.stateDir);
  const current = () => project.current().manifest;
  const masking = createMasking(store, createMaskReader({ current, builds, secret }));
  const upkeep = startStoreUpkeep({ settings, store: masking.masked, logger });
  const { maxBodyBytes } = settings;
  const parts = {
    store: masking.masked,
    originals: masking.originals,
    masking,
    project,
    builds,
    inputs: p.inputs,
    signals,
    clock: systemClock,
    logger,
    maxBodyBytes,
    bodies: createBodyBudget(maxBodyBytes),
    takeSlot: createRequestSlots(),
  };
  let port = settings.port;
  const baseUrl = () => serviceUrl(settings, port);
  const alerts = startStoreAlerts({ settings, store: masking.masked, baseUrl, logger });
  const sessionSecret = deriveSessionSecret(secret);
  const identity = loadIdentity(() => ({
    rows: store,
    baseUrl: baseUrl(),
    secret: sessionSecret,
    oidc: settings.oidc,
  }));

  const { ingest, receiveIn } = createIngest({
    ...parts,
    store,
    settings,
    stopping: stopping.signal,
    onEvent(event) {
      metrics.observeReceiver(event);
      p.onEvent?.(event, current());
    },
  });

  const ownHost = settings.baseUrl === null ? null : new URL(settings.baseUrl).host;

  /** The request handlers of one mode; `development` needs no key. */
  function createHandlers(mode: Mode) {
    const common = { ...parts, mode };
    const authenticate = createApiAuthenticator({ ...common, sessionSecret, baseUrl: settings.baseUrl });
    const restDeps: RestDeps = {
      ...common,
      baseUrl,
      alerts: settings.alerts,
      retention: settings.retention,
      cipher: createKeyCipher(secret),
      receive: receiveIn(mode),
      answerMcp,
      authenticate,
      metrics,
      stopping: stopping.signal,
    };
    return {
      mode,
      authenticate,
      rest: createRestApp(restDeps).fetch,
      trpc: createTrpc({
        ...restDeps,
        identity,
        name: settings.name,
        news: watchBoth(store, project),
      }),
      auth: createAuthHandler({
        ...common,
        hasProvider: settings.oidc !== null,
        identity,
        authenticate,
        isSecure: settings.baseUrl?.startsWith("https:") ?? false,
        ownHost,
      }),
    };
  }

  // Only requests of this machine get development mode. All others are handled as in a deployed service.
  const remoteHandlers = createHandlers("deployed");
  const localHandlers = settings.mode === "development" ? createHandlers("development") : remoteHandlers;
  const handlersFor = ({ remoteReason }: Client) => (remoteReason === null ? localHandlers : remoteHandlers);
  async function explainRejection(request: Request, { remoteReason }: Client, answer: Response): Promise<Response> {
    if (settings.mode !== "development" || remoteReason === null || answer.status !== 401) return answer;
    const { pathname } = new URL(request.url);
    const body = explainRemote(logger, await answer.text(), { reason: remoteReason, path: pathname });
    return new Response(body, { status: answer.status, headers: answer.headers });
  }
  // Next gives pages only the headers of a request.
  const pageClients = new AsyncLocalStorage<Client>();
  const pageHandlers = () => handlersFor(pageClients.getStore() ?? unknownClient);

  return {
    settings,
    project,
    ingestFetch: createFetchHandler(ingest),
    rest: async (request, client = unknownClient) =>
      explainRejection(request, client, await handlersFor(client).rest(request, client)),
    trpc: (request, client = unknownClient) => handlersFor(client).trpc.handle(request, client),
    auth: (request, client = unknownClient) => handlersFor(client).auth(request, client),
    limitAnonymous: createAnonymousLimit({ authenticateFor: (client) => handlersFor(client).authenticate, logger }),
    gate: createPageGate({ authenticate: remoteHandlers.authenticate, mode: settings.mode }),
    renderPageFor: (client, render) => pageClients.run(client, render),
    pageMode: () => pageHandlers().mode,
    findInvitation: async (token) =>
      pageHandlers().mode === "development"
        ? null
        : store.findInvitation(hashInvitationToken(token), systemClock.now()),
    createCaller: (headers) => pageHandlers().trpc.caller(headers),
    setPort: (actual) => void (port = actual),
    beginShutdown: () => stopping.abort(),
    async close() {
      await upkeep.close();
      await alerts.close();
      await store.close();
    },
  };
}

/** Loaded by the first request of such a client. */
export const answerMcp: AnswerMcp = async (request, body, client) => {
  const { answerMcpRequest } = await import("../mcp/answer-http.ts");
  return answerMcpRequest(request, body, client);
};

/** The library is large and rarely needed: the first sign-in loads it. */
function loadIdentity(options: () => Parameters<typeof createIdentity>[0]): () => Promise<Identity> {
  let loading: Promise<Identity> | null = null;
  return () =>
    (loading ??= import("../identity/create-identity.ts").then(({ createIdentity: create }) => create(options())));
}

function watchBoth(...watched: Pick<Store, "watch">[]): Pick<Store, "watch"> {
  return {
    watch(listener) {
      const stops = watched.map((one) => one.watch(listener));
      return () => stops.forEach((stop) => stop());
    },
  };
}
