import { type Load, type LoadResult, runLoad } from "./run-load.ts";
import { runUnread } from "./run-unread.ts";

/** Begins a load, or stops the one with this id. */
export type LoadRequest = { id: number; load: Load } | { id: number; load: null };
export type LoadReply = { id: number } & ({ result: LoadResult } | { error: string });

/** A separate process for a client. It shares no event loop with the measured server, and stays warm between turns. */
const running = new Map<number, AbortController>();
process.on("message", ({ id, load }: LoadRequest) => {
  if (load === null) return running.get(id)?.abort();
  const stop = new AbortController();
  running.set(id, stop);
  const reply = (message: LoadReply) => {
    running.delete(id);
    process.send?.(message);
  };
  const run = load.unread === undefined ? runLoad : runUnread;
  run(load, stop.signal).then(
    (result) => reply({ id, result }),
    (error: unknown) => reply({ id, error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on("disconnect", () => process.exit());
