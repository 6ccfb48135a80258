import { readLogLevel, readOnlyNextProject } from "../config.ts";
import { createLogger } from "../logging.ts";
import { openSignalbox, readBuiltSettings, type Signalbox } from "../main.ts";
import { openWorkerPool } from "./open-worker-pool.ts";
import type { Reporter } from "./protocol.ts";

const runGraceMs = 1_500;

/**
 * The service inside a bare Next server, where there is no supervisor: this process receives, and keeps the workers.
 * The project is that of SIGNALBOX_PROJECT, or of the current folder, as `signalbox build` made it. Rejects when there
 * is no build.
 */
export async function startOnlyNext(): Promise<Signalbox> {
  const settings = await readBuiltSettings(readOnlyNextProject());
  const logger = createLogger({ mode: settings.mode, level: readLogLevel(settings.mode), process: "next" });
  const reporter: Reporter = {
    delivery() {},
    runEnded() {},
    notice: (level, message) => logger[level](message),
  };
  const { pool, store } = await openWorkerPool({ settings, reporter, logger });
  const signalbox = await openSignalbox({
    settings,
    logger,
    signals: { runsQueued: pool.wake, cancelRequested: pool.cancel },
  });
  await pool.start();

  let closing: Promise<void> | null = null;
  const close = () =>
    (closing ??= (async () => {
      signalbox.beginShutdown();
      await pool.close(runGraceMs);
      await store.close();
      await signalbox.close();
    })());
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void close());
  return { ...signalbox, close };
}
