import { resolve } from "node:path";
import { type Mode, readLogLevel } from "../../config.ts";
import { createLogger } from "../../logging.ts";
import { openSignalbox, type Signalbox } from "../../composition/open-signalbox.ts";
import { readBuiltSettings } from "../../project/read-built-settings.ts";
import { createProjectReader } from "../../project/project-reader.ts";
import { createInputChecks } from "../input-checks/input-checks.ts";
import { openWorkerPool } from "../worker-pool/open-worker-pool.ts";
import type { Reporter } from "../protocol.ts";
import { reportReload } from "../supervisor.ts";

/**
 * Starts the receiver and the workers behind the route handler of `app/triggers`, if Next serves the app without
 * Signalbox's server. There is no supervisor: this process receives webhooks and keeps the workers. The project is the
 * one in SIGNALBOX_PROJECT or in the current folder, as built by `signalbox build`. Rejects if there is no build.
 */
export async function startNextReceiver(): Promise<Signalbox["ingestFetch"]> {
  const settings = await readBuiltSettings(readNextProject());
  const logger = createLogger({ mode: settings.mode, level: readLogLevel(settings.mode), process: "next" });
  const reporter: Reporter = { delivery() {}, runEnded() {}, notice: (level, message) => logger[level](message) };
  const project = await createProjectReader(settings.stateDir);
  const { pool, host, store } = await openWorkerPool({ settings, project, logger, reporter });
  async function reload(): Promise<void> {
    await Promise.all([signalbox.project.reload(), project.reload()]);
    await pool.replaceAll(Promise.resolve(true)).done;
  }
  const { stateDir, workerMemoryMb: memoryMb } = settings;
  const inputs = createInputChecks({ stateDir, memoryMb, logger });
  const signalbox = await openSignalbox({
    settings,
    inputs,
    logger,
    signals: {
      runsQueued: host.wake,
      cancelRequested: host.cancel,
      buildChanged: () => reportReload(reload(), reporter),
    },
  });
  await pool.start();

  let closing: Promise<void> | null = null;
  const close = async () => {
    signalbox.beginShutdown();
    await pool.close(settings.drainMs);
    await store.close();
    inputs.close();
    await signalbox.close();
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void (closing ??= close()));
  return signalbox.ingestFetch;
}

/** The project whose webhooks Next receives without Signalbox's server: SIGNALBOX_PROJECT. Default: the current folder. */
function readNextProject(env: NodeJS.ProcessEnv = process.env): { projectDir: string; mode: Mode } {
  return {
    projectDir: resolve(env["SIGNALBOX_PROJECT"] ?? "."),
    mode: env["NODE_ENV"] === "development" ? "development" : "deployed",
  };
}
