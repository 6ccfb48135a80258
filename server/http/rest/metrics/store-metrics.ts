import {
  commitDurationBounds,
  commitWritesBounds,
  type StoreNumbers,
  writeWaitBounds,
} from "../../../ports/store-numbers.ts";
import type { PulledMetrics } from "./prometheus.ts";

/** How the store fares in this process. `read` gives what was looked up last. */
export function registerStoreMetrics(
  { counter, gauge, histogram }: PulledMetrics,
  read: () => StoreNumbers | null,
): void {
  const each = <T>(pick: (numbers: StoreNumbers) => T) => {
    const numbers = read();
    return numbers ? [[{}, pick(numbers)] as const] : [];
  };
  gauge({
    name: "signalbox_store_waiting_writes",
    help: "Writes of the web process that wait for the disk now.",
    read: () => each(({ waitingWrites }) => waitingWrites),
  });
  counter({
    name: "signalbox_store_failed_writes_total",
    help: "Writes of the web process that the store did not take.",
    read: () => each(({ failedWrites }) => failedWrites),
  });
  histogram({
    name: "signalbox_store_commit_writes",
    help: "Writes of the web process that shared one commit.",
    bounds: commitWritesBounds,
    read: () => each(({ commitWrites }) => commitWrites),
  });
  histogram({
    name: "signalbox_store_commit_duration_seconds",
    help: "Time that a commit of the web process took, with its fsync.",
    bounds: commitDurationBounds,
    read: () => each(({ commitDurations }) => commitDurations),
  });
  histogram({
    name: "signalbox_store_write_wait_seconds",
    help: "Time from asking for a write of the web process until it was on disk.",
    bounds: writeWaitBounds,
    read: () => each(({ writeWaits }) => writeWaits),
  });
  gauge({
    name: "signalbox_store_file_bytes",
    help: "Size of the store's files on disk.",
    labels: ["file"],
    read: () => {
      const numbers = read();
      return numbers ? Object.entries(numbers.fileBytes).map(([file, bytes]) => [{ file }, bytes] as const) : [];
    },
  });
}
