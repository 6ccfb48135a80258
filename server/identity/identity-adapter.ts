import { createAdapterFactory } from "better-auth/adapters";
import type { IdentityCondition, IdentityRows, IdentityTable } from "../ports/people-store.ts";

const tables: Record<string, IdentityTable> = {
  user: "user",
  session: "session",
  account: "account",
  verification: "verification",
};

interface Asked {
  field: string;
  operator: string;
  value: unknown;
  connector: "AND" | "OR";
}

/**
 * Better-auth over our own store: its writes join the store's transactions, and wait for other processes as all others
 * do.
 */
export function createIdentityAdapter(rows: IdentityRows) {
  return createAdapterFactory({
    config: {
      adapterId: "signalbox",
      supportsJSON: false,
      supportsDates: true,
      supportsBooleans: true,
      supportsNumericIds: false,
      transaction: false,
    },
    adapter: () => ({
      create: async ({ model, data }) => as(await rows.insertRow(tableOf(model), data)),
      findOne: async ({ model, where }) => as((await find({ model, where, limit: 1 }))[0] ?? null),
      findMany: async (p) => as(await find(p)),
      count: ({ model, where }) => rows.countRows(tableOf(model), conditions(where)),
      update: async ({ model, where, update }) =>
        as((await rows.updateRows(tableOf(model), conditions(where), values(update)))[0] ?? null),
      updateMany: async ({ model, where, update }) =>
        (await rows.updateRows(tableOf(model), conditions(where), update)).length,
      delete: async ({ model, where }) => void (await rows.removeRows(tableOf(model), conditions(where))),
      deleteMany: async ({ model, where }) => (await rows.removeRows(tableOf(model), conditions(where))).length,
      consumeOne: async ({ model, where }) => as((await rows.removeRows(tableOf(model), conditions(where)))[0] ?? null),
    }),
  });

  function find(p: {
    model: string;
    where?: readonly Asked[] | undefined;
    limit: number;
    offset?: number | undefined;
    sortBy?: { field: string; direction: "asc" | "desc" } | undefined;
  }) {
    return rows.findRows({
      table: tableOf(p.model),
      where: conditions(p.where),
      limit: p.limit,
      offset: p.offset ?? 0,
      sortBy: p.sortBy ?? null,
    });
  }
}

/** Better-auth lets its callers specify the type of a row; the store returns the columns of the table. */
function as<T>(found: unknown): T {
  return found as T;
}

function values(update: unknown): Record<string, unknown> {
  return { ...Object(update) };
}

function tableOf(model: string): IdentityTable {
  const table = tables[model];
  if (!table) throw new Error(`better-auth uses an unknown table: ${model}.`);
  return table;
}

function conditions(where: readonly Asked[] = []): IdentityCondition[] {
  return where.map(({ field, operator, value, connector }) => ({ field, operator, value, connector }));
}
