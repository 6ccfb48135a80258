/**
 * Notifies worker processes immediately of writes to the store. A lost signal costs only time: the store is the source
 * of truth.
 */
export interface Signals {
  runsQueued(): void;
  cancelRequested(runId: string): void;
}

export const noSignals: Signals = { runsQueued() {}, cancelRequested() {} };
