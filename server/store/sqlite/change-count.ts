import type { Connection } from "./open-connection.ts";

/** The mark of the store: a number that grows with every commit that changes visible data. */
export interface ChangeCount {
  /** Starts a transaction: the changes of the previous one are counted or rolled back. */
  begin(): void;
  changed(): void;
  /** Called at the end of the transaction. Writes one row for all its changes. */
  write(): void;
  read(): number;
}

export function createChangeCount(connection: Connection): ChangeCount {
  const count = connection.prepare(
    "INSERT INTO store_change (id, changes) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET changes = changes + 1",
  );
  const read = connection.prepare<[], number>("SELECT changes FROM store_change").pluck();
  let hasChanged = false;
  return {
    begin: () => void (hasChanged = false),
    changed: () => void (hasChanged = true),
    write: () => {
      if (hasChanged) count.run();
    },
    read: () => read.get() ?? 0,
  };
}
