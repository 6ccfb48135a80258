import { once } from "node:events";
import { backlog, trustProxies } from "../../http/connections.ts";
import { createWebServer, type PagesHandler } from "../../http/forward/web-server.ts";
import { loadPages } from "../../http/pages/load-pages.ts";
import { openSignalbox, type Signalbox } from "../../composition/open-signalbox.ts";
import { packageRoot } from "../../paths.ts";
import type { Logger } from "../../ports/logger.ts";
import type { ServiceReport } from "../../ports/service-report.ts";
import {
  httpProcessWatch,
  type ListeningProcess,
  type ProcessContext,
  runHttpProcess,
} from "../http-processes/run-process.ts";
import { prepareSocketPath } from "../local-sockets.ts";
import { createInputCheckLink } from "./input-check-link.ts";
import { createNumberExchange } from "./number-exchange.ts";
import { yieldToWebhooks } from "./yield-to-webhooks.ts";
import { watchEventLoop } from "../event-loop/watch-event-loop.ts";

/**
 * The web process: the API, sign-in and the pages, with Next behind them. It listens on a local socket, to which the
 * receiver forwards its requests.
 */

/** Loading the pages takes about a third of the processor time of this process's start. */
const loadPagesAfterMs = 60_000;

await runHttpProcess("web", openWeb);

async function openWeb({ settings, web, logger, onEvent, send }: ProcessContext): Promise<ListeningProcess> {
  const numbers = createNumberExchange<ServiceReport>(() => send({ type: "read-numbers" }));
  const inputs = createInputCheckLink(send);
  const signalbox = await openSignalbox({
    settings,
    inputs,
    logger,
    signals: {
      runsQueued: () => send({ type: "runs-queued" }),
      cancelRequested: (runId) => send({ type: "cancel-requested", runId }),
      buildChanged: () => send({ type: "build-changed" }),
    },
    onEvent,
    readService: numbers.read,
  });
  Object.assign(globalThis, { [Symbol.for("signalbox.container")]: signalbox });

  const pages = createLazyPages(logger, signalbox.renderPageFor, () =>
    loadPages({ mode: settings.pages, dir: packageRoot, host: settings.host, port: settings.port }),
  );
  const http = createWebServer({
    rest: signalbox.rest,
    trpc: signalbox.trpc,
    auth: signalbox.auth,
    limitAnonymous: signalbox.limitAnonymous,
    gate: signalbox.gate,
    proxies: trustProxies(settings.trustProxy),
    // Only the pages' development server uses upgraded connections.
    pages: settings.pages === "source" ? pages : { handle: pages.handle },
    secret: web.secret,
    logger,
  });
  await prepareSocketPath(web.socket);
  http.server.listen({ path: web.socket, backlog });
  await once(http.server, "listening");
  watchEventLoop(httpProcessWatch);
  yieldToWebhooks(logger);
  // The first request for a page loads the pages. Next's development server needs seconds and memory, and takes a lock:
  // only a request loads it. Built pages load fast, but they are not needed to receive webhooks and execute runs.
  const loadingPages = settings.pages === "built" ? setTimeout(pages.load, loadPagesAfterMs).unref() : undefined;

  return {
    port: null,
    project: signalbox.project,
    handle(message) {
      if (message.type === "build") signalbox.project.reportBuild(message.failed);
      if (message.type === "input-checked") inputs.handleAnswer(message);
      if (message.type === "numbers") numbers.handleAnswer(message.numbers);
      if (message.type === "port") signalbox.setPort(message.port);
    },
    async close(graceMs) {
      clearTimeout(loadingPages);
      signalbox.beginShutdown();
      await http.close(graceMs);
      await pages.close();
      await signalbox.close();
    },
  };
}

/** The API is served before the pages are loaded; a request for a page waits for them. */
function createLazyPages(
  log: Logger,
  renderFor: Signalbox["renderPageFor"],
  load: () => ReturnType<typeof loadPages>,
): PagesHandler & { load(): void; close(): Promise<void> } {
  let loading: ReturnType<typeof loadPages> | null = null;
  const loaded = () => {
    if (loading) return loading;
    loading = load();
    loading.catch((error: unknown) => {
      log.error("could not load the pages, retrying at the next request", { error });
      loading = null;
    });
    return loading;
  };
  return {
    load: () => void loaded(),
    async handle(request, response, client) {
      const { handle } = await loaded();
      return renderFor(client, () => handle(request, response));
    },
    upgrade: (request, socket, head) =>
      void loaded()
        .then((pages) => (pages.upgrade ? pages.upgrade(request, socket, head) : socket.destroy()))
        // The failure is logged above. An unhandled rejection would end this process.
        .catch(() => socket.destroy()),
    close: async () => loading?.then((pages) => pages.close()).catch(() => {}),
  };
}
