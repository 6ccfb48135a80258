import { listBudget } from "../../../domain/list-budget.ts";
import { type Operation, pause, resultOf } from "../operation.ts";
import type { Position } from "./cursor.ts";
import { chooseDriver, type Driver, type Listing, type ListReader } from "./read-list.ts";

/** The rows of a listing with this status in one bucket of time. */
export interface StatusCount<Status> {
  /** The start of the bucket, UTC milliseconds. */
  at: number;
  status: Status;
  count: number;
}

/** A part of a list that is counted. */
export interface CountedStretch {
  driver: Driver;
  after: Position | null;
  downTo: Position | null;
}

/**
 * Counts the rows of a listing, the newest first, for a limited time. There is a pause between two scans, which double
 * as long as a scan is short. `countedSince`: all rows since this time are counted; `null`: all rows are.
 */
export function* countList<Row, Shape, Status extends string>(
  reader: ListReader,
  listing: Listing<Row, Shape>,
  countStretch: (stretch: CountedStretch) => StatusCount<Status>[] | Promise<StatusCount<Status>[]>,
): Operation<{ buckets: StatusCount<Status>[]; countedSince: number | null }> {
  const driver = yield* chooseDriver(reader, listing, null);
  const sums = new Map<string, StatusCount<Status>>();
  let after: Position | null = null;
  let spentMs = 0;
  for (let candidates = reader.firstScan.fast; ; yield* pause()) {
    const began = performance.now();
    const downTo: Position | null = yield* resultOf(reader.findEnd(listing, { driver, after, candidates }));
    for (const { at, status, count } of yield* resultOf(countStretch({ driver, after, downTo }))) {
      const key = `${at} ${status}`;
      sums.set(key, { at, status, count: count + (sums.get(key)?.count ?? 0) });
    }
    const scanMs = performance.now() - began;
    spentMs += scanMs;
    if (downTo === null || spentMs >= listBudget.countMs)
      return { buckets: [...sums.values()], countedSince: downTo && downTo.at + 1 };
    after = downTo;
    if (2 * scanMs <= reader.maxScanMs) candidates = Math.min(2 * candidates, reader.maxScan.fast);
    else if (scanMs > reader.maxScanMs)
      candidates = Math.max(reader.firstScan.fast, Math.floor((candidates * reader.maxScanMs) / scanMs));
  }
}
