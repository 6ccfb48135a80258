import { setTimeout } from "node:timers/promises";
import { watchChanges } from "../../runs/watch-changes.ts";
import { procedure } from "../trpc.ts";

/** Ticks are at least this far apart, however much is written. */
const quietMs = 200;

/**
 * Tells that something has changed, not what: readers then read again what they show. `version` is the build in force, told at the start,
 * too. That a worker still lives is no news.
 */
export const changes = procedure.subscription(async function* ({ ctx, signal }) {
  const ended = AbortSignal.any([ctx.stopping, ...(signal ? [signal] : [])]);
  const watch = watchChanges(ctx.news, ended);
  try {
    // A store that cannot be read just now is news, too.
    const look = async () => ({ version: ctx.project.current().manifest.version, mark: await ctx.store.mark().catch(() => null) });
    let told = await look();
    yield { tick: 0, version: told.version };
    for (let tick = 1; ; tick++) {
      await watch.next();
      if (ended.aborted) return;
      const now = await look();
      if (now.mark !== null && now.mark === told.mark && now.version === told.version) continue;
      told = now;
      yield { tick, version: now.version };
      await setTimeout(quietMs, undefined, { signal: ended }).catch(() => undefined);
    }
  } finally {
    watch.stop();
  }
});
