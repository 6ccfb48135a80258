import { serviceUrl, type Settings } from "../../../server/config.ts";
import { SettingsError } from "../../../server/config/environment.ts";
import { AppError } from "../../../server/contract/app-error.ts";
import type { FailedBuild } from "../../../server/contract/project/failed-build.ts";
import type { Logger } from "../../../server/ports/logger.ts";
import type { Supervisor } from "../../../server/processes/supervisor.ts";
import type { Reporter } from "../../../server/processes/protocol.ts";
import { announceServer, buildChangedSignal, findRunningServer } from "../../api/running-server.ts";
import { Failure } from "../../terminal/failure.ts";

export interface Service {
  /** The public URL. */
  url: string;
  /** The URL on this machine. */
  localUrl: string;
  reload(): Promise<void>;
  reloadAndReport(): void;
  /** Reports a failed build to the pages; `null`: the last build succeeded. */
  reportBuild(failed: FailedBuild | null): void;
  /** Records a delivery of the feed of another service. `null`: this service is stopping. */
  takeDelivery: Supervisor["takeDelivery"];
  close(): Promise<void>;
}

interface StartOptions {
  settings: Settings;
  reporter: Reporter;
  logger: Logger;
  now: number;
}

/** Starts web and workers, and records their URL in `.signalbox/` while they run. Throws a Failure if they cannot start. */
export async function startService(options: StartOptions): Promise<Service> {
  const { startSupervisor } = await import("../../../server/processes/supervisor.ts");
  return announce(options, () => startSupervisor(options));
}

/** Starts web without workers. The workers of other machines execute the runs. */
export async function startWeb(
  options: StartOptions,
): Promise<Omit<Service, "reload" | "reportBuild" | "takeDelivery">> {
  const { startWebAlone } = await import("../../../server/processes/start-web-alone.ts");
  return announce(options, () => startWebAlone(options));
}

/** Wraps a start error as a Failure, unless its type already has a clear message. */
export function toStartFailure(cause: unknown): unknown {
  if (cause instanceof SettingsError || cause instanceof AppError || !(cause instanceof Error)) return cause;
  return new Failure(cause.message, { code: "start_failed", cause });
}

async function announce<Started extends { url: string; port: number; reloadAndReport(): void; close(): Promise<void> }>(
  { settings, reporter, now }: StartOptions,
  start: () => Promise<Started>,
): Promise<Started & { localUrl: string }> {
  const other = findRunningServer(settings.projectDir);
  const supervisor = await start().catch((cause: unknown) => {
    throw toStartFailure(cause);
  });
  const localUrl = serviceUrl({ baseUrl: null, host: settings.host }, supervisor.port);
  // Before commands can find this process: without a handler, the signal would end it.
  if (process.platform !== "win32") process.on(buildChangedSignal, supervisor.reloadAndReport);
  const withdraw = announceServer(settings.projectDir, {
    pid: process.pid,
    url: supervisor.url,
    localUrl,
    mode: settings.mode,
    startedAt: new Date(now).toISOString(),
  });
  if (other && other.pid !== process.pid)
    reporter.notice(
      "warn",
      `Another service of this project runs on ${other.url} (process ${other.pid}). Commands now use this one.`,
    );
  process.once("exit", withdraw);
  return {
    ...supervisor,
    localUrl,
    async close() {
      withdraw();
      process.off(buildChangedSignal, supervisor.reloadAndReport);
      await supervisor.close();
    },
  };
}
