import { setTimeout } from "node:timers/promises";
import { watchChanges } from "../../ports/watch-changes.ts";
import { procedure, router } from "../trpc.ts";

/** Minimum time between two ticks. */
const tickIntervalMs = 200;

/**
 * Notifies that something has changed, not what: clients then refetch what they show. `version` is the active build,
 * also sent at the start. Heartbeats of workers are no changes. `isLiveOnly`: only live output of models has changed.
 */
export const changesProcedure = procedure("watchChanges").subscription(async function* ({ ctx, signal }) {
  const ended = AbortSignal.any([ctx.stopping, ...(signal ? [signal] : [])]);
  const free = ctx.takeSlot("wait", ctx.principal);
  const watch = watchChanges(ctx.news, ended);
  try {
    // A failed read of the store counts as a change, too.
    const readState = async () => {
      const [mark, live] = await Promise.all([
        ctx.store.mark().catch(() => null),
        ctx.store.liveMark().catch(() => null),
      ]);
      return {
        version: ctx.project.current().manifest.version,
        failedBuild: ctx.project.failedBuild?.() ?? null,
        mark,
        live,
      };
    };
    let reported = await readState();
    yield { tick: 0, version: reported.version, isLiveOnly: false };
    for (let tick = 1; ; tick++) {
      await watch.next();
      if (ended.aborted) return;
      const state = await readState();
      const isLiveOnly =
        state.mark !== null &&
        state.mark === reported.mark &&
        state.version === reported.version &&
        state.failedBuild === reported.failedBuild;
      if (isLiveOnly && state.live !== null && state.live === reported.live) continue;
      reported = state;
      yield { tick, version: state.version, isLiveOnly };
      await setTimeout(tickIntervalMs, undefined, { signal: ended }).catch(() => undefined);
    }
  } finally {
    watch.stop();
    free();
  }
});

export const projectRouter = router({
  /** The failure of the newest build; `null`: the newest build is active. Only `signalbox dev` reports it. */
  failedBuild: procedure("getFailedBuild").query(({ ctx }) => ctx.project.failedBuild?.() ?? null),
});
