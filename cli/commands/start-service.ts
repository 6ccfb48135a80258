import { type Settings, SettingsError } from "../../server/config.ts";
import { AppError } from "../../server/contract/app-error.ts";
import type { Logger } from "../../server/ports/logger.ts";
import type { Reporter } from "../../server/processes/protocol.ts";
import { announceServer, findRunningServer } from "../api/running-server.ts";
import { Failure } from "../terminal/failure.ts";

export interface Service {
  url: string;
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** Starts web and workers, and says in `.signalbox/` where they are until they are closed. Throws a Failure when they cannot start. */
export async function startService(p: { settings: Settings; reporter: Reporter; logger: Logger; now: number }): Promise<Service> {
  const { settings, reporter } = p;
  const other = findRunningServer(settings.projectDir);
  const { startSupervisor } = await import("../../server/processes/supervisor.ts");
  const supervisor = await startSupervisor(p).catch((cause: unknown) => {
    if (cause instanceof SettingsError || cause instanceof AppError || !(cause instanceof Error)) throw cause;
    throw new Failure(cause.message, { code: "start_failed", cause });
  });
  const withdraw = announceServer(settings.projectDir, {
    pid: process.pid,
    url: supervisor.url,
    mode: settings.mode,
    startedAt: new Date(p.now).toISOString(),
  });
  if (other && other.pid !== process.pid) reporter.notice("warn", `This project is served on ${other.url} as well (process ${other.pid}). From now on commands talk to this one.`);
  process.once("exit", withdraw);
  return {
    url: supervisor.url,
    reload: () => supervisor.reload(),
    async close() {
      withdraw();
      await supervisor.close();
    },
  };
}
