import { setTimeout } from "node:timers/promises";
import { watchChanges } from "../../runs/watch-changes.ts";
import { procedure } from "../trpc.ts";

/** Ticks are at least this far apart, however much is written. */
const quietMs = 200;

/** Tells that something has changed, not what: readers then read again what they show. `version` is the build in force, told at the start, too. */
export const changes = procedure.subscription(async function* ({ ctx, signal }) {
  const ended = AbortSignal.any([ctx.stopping, ...(signal ? [signal] : [])]);
  const watch = watchChanges(ctx.news, ended);
  try {
    yield { tick: 0, version: ctx.project.current().manifest.version };
    for (let tick = 1; ; tick++) {
      await watch.next();
      if (ended.aborted) return;
      yield { tick, version: ctx.project.current().manifest.version };
      await setTimeout(quietMs, undefined, { signal: ended }).catch(() => undefined);
    }
  } finally {
    watch.stop();
  }
});
