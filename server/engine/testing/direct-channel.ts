import type { ProgressWriter, RunChannel, RunClaim, RunExecutor } from "../../ports/run-channel.ts";

/** A run channel without a connection: tests assign the runs, and progress goes to the store immediately. */
export function createDirectChannel(store: ProgressWriter) {
  const opened = Promise.withResolvers<RunExecutor>();
  const released: RunClaim[] = [];
  const state = { isDraining: false, isClosed: false };
  const channel: RunChannel = {
    async open(executor) {
      opened.resolve(executor);
    },
    writeProgress: (progress) => store.writeProgress(progress),
    saveLive: (live) => store.saveLive(live),
    changed() {},
    release: (run) => void released.push(run),
    async drain() {
      state.isDraining = true;
    },
    close: () => void (state.isClosed = true),
  };
  return {
    channel,
    state,
    released,
    /** The calls that the host makes to the worker. */
    executor: opened.promise,
  };
}
