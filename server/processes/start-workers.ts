import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readSecret, type Settings } from "../config.ts";
import { AppError } from "../contract/app-error.ts";
import { createHealthHandler } from "../http/health.ts";
import { describeStall } from "../domain/store-stall.ts";
import type { Readiness } from "../http/readiness.ts";
import { sendProblem } from "../http/send-problem.ts";
import { createMasking } from "../masking/masked-store.ts";
import { createMaskReader } from "../masking/read-masks.ts";
import type { Logger } from "../ports/logger.ts";
import { createBuilds } from "../project/kept-builds.ts";
import { createProjectReader } from "../project/project-reader.ts";
import { readManifest } from "../project/read-manifest.ts";
import { collectStartUp } from "./collect-start-up.ts";
import { describeListenFailure } from "./listen-failure.ts";
import { openWorkerPool } from "./worker-pool/open-worker-pool.ts";
import type { Reporter } from "./protocol.ts";
import { requireSharedStore } from "./require-shared-store.ts";
import { startStoreUpkeep } from "../composition/start-store-upkeep.ts";

export interface Workers {
  /** The port of the health checks; `null`: there are none. */
  healthPort: number | null;
  /**
   * Claims no more runs, waits up to `drainMs` for the steps in flight, returns the runs to the queue, and ends all
   * processes.
   */
  close(): Promise<void>;
}

/**
 * Starts workers only: they execute the runs that other machines accept. Rejects with SettingsError if the store is for
 * one machine only, and with the reason if the health port cannot be used.
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
  const project = await createProjectReader(settings.stateDir);
  const { pool, store } = await openWorkerPool({ ...p, project });
  const { masked } = createMasking(
    store,
    createMaskReader({
      current: () => readManifest(settings.stateDir),
      builds: createBuilds(settings.stateDir),
      secret: readSecret(settings.stateDir),
    }),
  );
  const upkeep = startStoreUpkeep({ settings, store: masked, logger: p.logger });
  let isClosing = false;

  async function findReasons(): Promise<string[]> {
    if (isClosing) return ["The workers are shutting down."];
    if (pool.numbers().workers.ready.shared === 0) return ["No worker of this machine accepts runs."];
    const stall = store.stall?.();
    if (stall) return [describeStall(stall)];
    return store.ping().then(
      () => [],
      (error: unknown) => [`Cannot write to the store. ${error instanceof Error ? error.message : ""}`.trim()],
    );
  }

  const readiness = async () => ({ reasons: await findReasons(), warnings: [] });

  async function close(): Promise<void> {
    isClosing = true;
    await pool.close(settings.drainMs);
    await healthServer?.close();
    await upkeep.close();
    await store.close();
  }

  const healthServer =
    healthPort === null
      ? null
      : await openHealthServer({ host: settings.host, port: healthPort, readiness }).catch(async (error: unknown) => {
          await upkeep.close();
          await store.close();
          throw error;
        });
  await pool.start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  collectStartUp();
  let closing: Promise<void> | null = null;
  return { healthPort: healthServer?.port ?? null, close: () => (closing ??= close()) };
}

/** Answers health checks as the receiver does, and serves nothing else. Rejects if it cannot listen. */
async function openHealthServer(p: {
  host: string;
  port: number;
  readiness: Readiness;
}): Promise<{ port: number; close(): Promise<void> }> {
  const answer = createHealthHandler(p.readiness);
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    if (!(await answer(request, response, request.url ?? "")))
      sendProblem(request, response, new AppError("not_found", healthOnly));
  };
  const server = createServer(
    { headersTimeout: 5_000, requestTimeout: 5_000 },
    (request, response) => void handle(request, response),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(describeListenFailure(error, { ...p, option: "--health-port" })));
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

const healthOnly = "Workers answer only GET /healthz and GET /readyz. Send other requests to a server that receives.";
