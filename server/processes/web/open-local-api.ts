import { createRequestSlots } from "../../auth/limits/request-slots.ts";
import { createKeyCipher } from "../../auth/keys/service-secret.ts";
import { answerMcp } from "../../composition/open-signalbox.ts";
import { openConfiguredStore } from "../../composition/open-configured-store.ts";
import { type Mode, readSecret, serviceUrl } from "../../config.ts";
import { createBodyBudget } from "../../domain/requests/request-body.ts";
import { createMetrics } from "../../http/rest/metrics/create-metrics.ts";
import { createRestApp } from "../../http/rest/rest-app.ts";
import { createIngest } from "../../http/webhooks/webhook-handler.ts";
import { createMasking } from "../../masking/masked-store.ts";
import { createMaskReader } from "../../masking/read-masks.ts";
import { systemClock } from "../../ports/clock.ts";
import { readDueWork } from "../../ports/due-work.ts";
import { silentLogger } from "../../ports/logger.ts";
import { noSignals } from "../../ports/signals.ts";
import { createBuilds } from "../../project/kept-builds.ts";
import { createProjectReader } from "../../project/project-reader.ts";
import { readBuiltSettings } from "../../project/read-built-settings.ts";
import { createInputChecks } from "../input-checks/input-checks.ts";

/**
 * The REST API in this process, on the project's own store, for the command line on the same machine: a user who can
 * read the store's file may do everything. A running server notices writes. `running` is that server, if there is one.
 */
export async function openLocalApi(p: {
  projectDir: string;
  running: { mode: Mode; url: string; onBuildChanged?: () => void } | null;
  isReplacingSecret?: boolean | undefined;
}): Promise<{ fetch(request: Request): Promise<Response>; close(): Promise<void> }> {
  const settings = await readBuiltSettings({ projectDir: p.projectDir, mode: p.running?.mode ?? "deployed" });
  const store = await openConfiguredStore(settings, silentLogger, { isReplacingSecret: p.isReplacingSecret ?? false });
  const { mode, maxBodyBytes } = settings;
  const secret = readSecret(settings.stateDir);
  const project = await createProjectReader(settings.stateDir);
  const builds = createBuilds(settings.stateDir);
  const current = () => project.current().manifest;
  const masking = createMasking(store, createMaskReader({ current, builds, secret }));
  const { stateDir, workerMemoryMb: memoryMb } = settings;
  const inputs = createInputChecks({ stateDir, memoryMb, logger: silentLogger });
  const stopping = new AbortController().signal;
  const { receiveIn } = createIngest({ settings, store, project, logger: silentLogger, stopping, onEvent() {} });
  const app = createRestApp({
    store: masking.masked,
    originals: masking.originals,
    masking,
    project,
    builds,
    inputs,
    signals: { ...noSignals, buildChanged: () => p.running?.onBuildChanged?.() },
    clock: systemClock,
    logger: silentLogger,
    receive: receiveIn(mode),
    answerMcp,
    mode,
    maxBodyBytes,
    bodies: createBodyBudget(maxBodyBytes),
    takeSlot: createRequestSlots(),
    alerts: settings.alerts,
    retention: settings.retention,
    baseUrl: () => settings.baseUrl ?? p.running?.url ?? serviceUrl(settings, settings.port),
    cipher: createKeyCipher(secret),
    authenticate: async () => ({ kind: "local" }),
    metrics: createMetrics({
      store,
      isDeclared: () => false,
      readWork: () => readDueWork({ store, manifest: current(), now: systemClock.now() }),
    }),
    stopping,
  });
  return {
    fetch: app.fetch,
    async close() {
      inputs.close();
      await store.close();
    },
  };
}
