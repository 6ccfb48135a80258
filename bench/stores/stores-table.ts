import { count, milliseconds, ratio } from "../report/format.ts";
import { median, ratioByRounds } from "../report/statistics.ts";
import type { Cells } from "../report/table.ts";
import type { StoreResult } from "./measure-stores.ts";

/** The results as a table, a line for each store and number of workers. Ratios are of the same rounds. */
export function storesTable(results: readonly StoreResult[]): Cells {
  const titles = [
    "store",
    "workers",
    "accepts a second",
    "to SQLite",
    "ms to the first line: p50",
    "p99",
    "runs a second",
    "to SQLite",
    "to one worker",
    "what limits accepts",
    "what limits runs",
  ];
  const find = (store: StoreResult["store"], workers: number) =>
    results.find((one) => one.store === store && one.workers === workers);
  const lines = results.map((one) => {
    const [sqlite, alone] = [find("SQLite", one.workers), find(one.store, 1)];
    const against = (other: StoreResult | undefined, of: (result: StoreResult) => number[]) =>
      !other || other === one ? "" : ratio(ratioByRounds(of(one), of(other)));
    return [
      one.store,
      String(one.workers),
      count(median(one.accepts)),
      against(sqlite, ({ accepts }) => accepts),
      milliseconds(median(one.p50)),
      milliseconds(median(one.p99)),
      count(median(one.runs)),
      against(sqlite, ({ runs }) => runs),
      against(alone, ({ runs }) => runs),
      one.acceptLimit,
      one.runLimit,
    ];
  });
  return [titles, ...lines];
}
