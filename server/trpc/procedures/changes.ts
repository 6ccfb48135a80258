import { setTimeout } from "node:timers/promises";
import { watchChanges } from "../../runs/watch-changes.ts";
import { procedure } from "../trpc.ts";

/** Ticks are at least this far apart, however much is written. */
const quietMs = 200;

/**
 * Notifies that something has changed, not what: clients then refetch what they show. `version` is the active build,
 * also sent at the start. Heartbeats of workers are no changes. `isLiveOnly`: only live output of models has changed.
 */
export const changes = procedure.subscription(async function* ({ ctx, signal }) {
  const ended = AbortSignal.any([ctx.stopping, ...(signal ? [signal] : [])]);
  const free = ctx.takeSlot("wait", ctx.principal);
  const watch = watchChanges(ctx.news, ended);
  try {
    // A store that cannot be read just now is news, too.
    const look = async () => {
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
    let told = await look();
    yield { tick: 0, version: told.version, isLiveOnly: false };
    for (let tick = 1; ; tick++) {
      await watch.next();
      if (ended.aborted) return;
      const now = await look();
      const isLiveOnly =
        now.mark !== null &&
        now.mark === told.mark &&
        now.version === told.version &&
        now.failedBuild === told.failedBuild;
      if (isLiveOnly && now.live !== null && now.live === told.live) continue;
      told = now;
      yield { tick, version: now.version, isLiveOnly };
      await setTimeout(quietMs, undefined, { signal: ended }).catch(() => undefined);
    }
  } finally {
    watch.stop();
    free();
  }
});
