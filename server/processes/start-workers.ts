import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Settings } from "../config.ts";
import type { Logger } from "../ports/logger.ts";
import { collectStartUp } from "./collect-start-up.ts";
import { openWorkerPool } from "./open-worker-pool.ts";
import type { Reporter } from "./protocol.ts";
import { requireSharedStore } from "./require-shared-store.ts";
import { startStoreUpkeep } from "./start-store-upkeep.ts";
import { runGraceMs } from "./supervisor.ts";

export interface Workers {
  /** Of the health checks; `null`: nothing listens. */
  healthPort: number | null;
  /** Takes no more runs, lets those that run end or hands them back, and ends all processes. */
  close(): Promise<void>;
}

/**
 * Starts workers and no web process: they run what is accepted on other machines. Rejects with SettingsError where the
 * store is for one machine only, and with why where the health port cannot be had.
 */
export async function startWorkers(p: {
  settings: Settings;
  env?: NodeJS.ProcessEnv;
  reporter: Reporter;
  logger: Logger;
  healthPort: number | null;
}): Promise<Workers> {
  const { settings, healthPort } = p;
  requireSharedStore(settings, "`signalbox worker`");
  const { pool, store } = await openWorkerPool(p);
  const upkeep = startStoreUpkeep({ settings, store, logger: p.logger });
  let isClosing = false;

  async function reasonsNotToBeReady(): Promise<string[]> {
    if (isClosing) return ["The workers are shutting down."];
    if (pool.numbers().workers.ready.shared === 0) return ["No worker of this machine accepts runs."];
    return store.ping().then(
      () => [],
      (error: unknown) => [`Cannot write to the store. ${error instanceof Error ? error.message : ""}`.trim()],
    );
  }

  async function close(): Promise<void> {
    isClosing = true;
    await pool.close(runGraceMs);
    await healthServer?.close();
    await upkeep.close();
    await store.close();
  }

  const healthServer =
    healthPort === null
      ? null
      : await openHealthDoor({ host: settings.host, port: healthPort, reasonsNotToBeReady }).catch(
          async (error: unknown) => {
            await upkeep.close();
            await store.close();
            throw error;
          },
        );
  await pool.start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  collectStartUp();
  let closing: Promise<void> | null = null;
  return { healthPort: healthServer?.port ?? null, close: () => (closing ??= close()) };
}

/**
 * Answers `GET /healthz` and `GET /readyz` as web does, for those who look after a process that serves nothing else.
 * Rejects when it cannot listen.
 */
async function openHealthDoor(p: {
  host: string;
  port: number;
  reasonsNotToBeReady: () => Promise<string[]>;
}): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    request.resume();
    const path = request.url?.split("?")[0];
    if (request.method !== "GET" && request.method !== "HEAD") return answer(response, 405, { ok: false });
    if (path === "/healthz") return answer(response, 200, { ok: true });
    if (path !== "/readyz") return answer(response, 404, { ok: false });
    return void p
      .reasonsNotToBeReady()
      .then((reasons) => answer(response, reasons.length === 0 ? 200 : 503, { ok: reasons.length === 0, reasons }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? new Error(
              `Port ${p.port} is in use. Stop the program that uses it, or choose another port with --health-port.`,
            )
          : error,
      ),
    );
    server.listen(p.port, p.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
    .end(JSON.stringify(body));
}
