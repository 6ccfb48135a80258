import {
  commitDurationBounds,
  commitWritesBounds,
  type StoreNumbers,
  writeWaitBounds,
} from "../../../ports/store-numbers.ts";
import type { PulledMetrics } from "./prometheus.ts";

/** Metrics of the store in this process. `read` returns the last values. */
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
    help: "Writes of the web process that are waiting for the disk.",
    read: () => each(({ waitingWrites }) => waitingWrites),
  });
  counter({
    name: "signalbox_store_failed_writes_total",
    help: "Failed writes of the web process.",
    read: () => each(({ failedWrites }) => failedWrites),
  });
  histogram({
    name: "signalbox_store_commit_writes",
    help: "Writes of the web process per commit.",
    bounds: commitWritesBounds,
    read: () => each(({ commitWrites }) => commitWrites),
  });
  histogram({
    name: "signalbox_store_commit_duration_seconds",
    help: "Duration of a commit of the web process, including fsync.",
    bounds: commitDurationBounds,
    read: () => each(({ commitDurations }) => commitDurations),
  });
  histogram({
    name: "signalbox_store_write_wait_seconds",
    help: "Time from the request for a write of the web process until it is on disk.",
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
