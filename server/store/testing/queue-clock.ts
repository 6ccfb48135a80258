import { TestClock } from "pg-boss";
import type { Client } from "pg";
import type { Store } from "../../ports/store.ts";

/** Sets the time of pg-boss in a database, for connections that are opened later. */
export interface QueueClock {
  /** The store with each operation at the time that it is given: its queue otherwise has the clock of the database. */
  follow(store: Store): Store;
}

/** Installs the test clock of pg-boss. */
export async function installQueueClock(client: Client): Promise<QueueClock> {
  const clock = new TestClock();
  const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values) };
  await clock.attach({ db, schema: "signalbox_queue" });
  await client.query(`
    DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET pgboss.test_clock = ''on''', current_database()); END $$`);
  let setting: Promise<unknown> = Promise.resolve();
  let current = Number.NaN;

  async function setTime(now: number): Promise<void> {
    if (now !== current) {
      current = now;
      setting = setting.then(() => clock.setTime(now));
    }
    await setting;
  }

  return {
    follow(store) {
      const at = withTime(setTime);
      return {
        ...store,
        acceptDelivery: at(store.acceptDelivery, ({ runs }) => newest(runs)),
        createRuns: at(store.createRuns, newest),
        createFittingRuns: at(store.createFittingRuns, newest),
        claimRuns: at(store.claimRuns, ({ now }) => now),
        listDueRuns: at(store.listDueRuns, ({ now }) => now),
        writeProgress: at(store.writeProgress, ({ now }) => now),
        extendLeases: at(store.extendLeases, ({ now }) => now),
        releaseLostRuns: at(store.releaseLostRuns, ({ now }) => now),
        reconcile: at(store.reconcile, (now) => now),
        requestCancel: at(store.requestCancel, (_, now) => now),
        decideApproval: at(store.decideApproval, ({ now }) => now),
      };
    },
  };
}

/** Sets the time of an operation before it begins. */
function withTime(setTime: (now: number) => Promise<void>) {
  return <Args extends readonly unknown[], Result>(
    operation: (...args: Args) => Promise<Result>,
    timeOf: (...args: Args) => number | undefined,
  ) =>
    async (...args: Args): Promise<Result> => {
      const now = timeOf(...args);
      if (now !== undefined && Number.isFinite(now)) await setTime(now);
      return operation(...args);
    };
}

function newest(runs: readonly { createdAt: number }[]): number | undefined {
  return runs.length > 0 ? Math.max(...runs.map(({ createdAt }) => createdAt)) : undefined;
}
