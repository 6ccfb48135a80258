/**
 * Notifies the other processes of the service immediately. A lost signal of a write to the store costs only time: the
 * store is the source of truth.
 */
export interface Signals {
  runsQueued(): void;
  cancelRequested(runId: string): void;
  /** Another build is current: the service loads it. */
  buildChanged(): void;
}

export const noSignals: Signals = { runsQueued() {}, cancelRequested() {}, buildChanged() {} };
