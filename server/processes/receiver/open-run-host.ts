import { recordLeftBuild } from "../../alerts/record-left-build.ts";
import type { Settings } from "../../config.ts";
import { formatCount } from "../../shared/format.ts";
import { clockAheadMs, systemClock } from "../../ports/clock.ts";
import { createWaitSearch } from "../../deliveries/search-waits.ts";
import type { Logger } from "../../ports/logger.ts";
import type { ProjectReader } from "../../ports/project.ts";
import type { Store } from "../../ports/store.ts";
import { createBuilds } from "../../project/kept-builds.ts";
import { readManifest } from "../../project/read-manifest.ts";
import { createRunHost, type RunHost } from "../../run-channel/host/run-host.ts";
import { listenLocally, type LocalAddress } from "../local-sockets.ts";
import { machineName } from "../../composition/machine-name.ts";
import type { ProcessStart, Reporter } from "../protocol.ts";

const reconcileEveryMs = 5_000;
/** If other machines share the store: only expired leases show that a whole machine was lost. */
const reconcileSharedEveryMs = 1_000;

/**
 * Opens the run host of this machine's workers, which connect to it at this address. It recovers the runs of services
 * that ended. It does not close the store.
 */
export async function openRunHost(p: {
  settings: Settings;
  store: Store;
  /** Evaluates the deliveries that were received before a run waited for them. Absent: tests without triggers. */
  project?: ProjectReader;
  reporter: Pick<Reporter, "notice">;
  logger: Logger;
  address: LocalAddress;
  /** The workers of the previous host. */
  workers?: ProcessStart["workers"];
}): Promise<{ host: RunHost; close(): Promise<void> }> {
  const { settings, store, logger, address } = p;
  const host = createRunHost({
    store,
    secret: address.secret,
    ...(p.workers ? { workers: p.workers } : {}),
    machine: machineName(settings),
    readManifest: () => readManifest(settings.stateDir),
    readBuild: createBuilds(settings.stateDir).read,
    mode: settings.mode,
    reconcileEveryMs: settings.database.kind === "postgres" ? reconcileSharedEveryMs : reconcileEveryMs,
    clock: systemClock,
    clockAheadMs,
    logger,
    ...(p.project && {
      waitSearch: createWaitSearch({ store, project: p.project, clock: systemClock, logger }),
    }),
    onBuildLeft(left) {
      const { rules, destinations } = settings.alerts ?? {};
      if (!rules?.runsLeftBuild || !destinations) return;
      recordLeftBuild({ store, destinations, left, clock: systemClock }).catch((error: unknown) =>
        logger.warn("the alert about runs that left their build could not be recorded", { ...left, error }),
      );
    },
    onTakenOver: (count) =>
      p.reporter.notice(
        "info",
        `${formatCount(count, "run")} of the stopped service ${count === 1 ? "continues" : "continue"}.`,
      ),
  });
  const server = await listenLocally(address.socket, host.accept);
  const close = async () => {
    await host.close();
    await server.close();
  };
  await host.start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { host, close };
}
