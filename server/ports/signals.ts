/**
 * Tells worker processes, at once, what was just written to the store. Losing a signal only costs time: the store has
 * the truth.
 */
export interface Signals {
  runsQueued(): void;
  cancelRequested(runId: string): void;
}

export const noSignals: Signals = { runsQueued() {}, cancelRequested() {} };
