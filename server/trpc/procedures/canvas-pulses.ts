import { watchChanges } from "../../runs/watch-changes.ts";
import { watchPulses } from "../../traffic/watch-pulses.ts";
import { procedure } from "../trpc.ts";

/** Streams deliveries as they arrive. */
export const canvasPulses = procedure.subscription(async function* ({ ctx, signal }) {
  const ended = AbortSignal.any([ctx.stopping, ...(signal ? [signal] : [])]);
  const changes = watchChanges(ctx.news, ended);
  try {
    yield* watchPulses(ctx, { nextChange: () => changes.next(), signal: ended });
  } finally {
    changes.stop();
  }
});
