import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { Delivery } from "../../../contract/delivery.ts";
import type { DeliveryFilter } from "../../../ports/store/delivery-store.ts";
import type { Store } from "../../../ports/store.ts";
import { seedByDate } from "../../../../scripts/seed-by-date.ts";
import { listBudget } from "../../../domain/list-budget.ts";
import { aClaim, aDelivery, aRun, epoch, readPages } from "../../testing/factories.ts";
import { deliveryFilters, isDeliveryOf, isRunOf, runFilters } from "../../testing/list-filters.ts";
import { findListDamage, prepareListIndex } from "./list-index.ts";
import { type Connection, openConnection } from "../file/open-connection.ts";
import { openSqliteStore } from "../open-store.ts";
import { reindexFile } from "../file/reindex-file.ts";

const folder = mkdtempSync(join(tmpdir(), "signalbox-list-index-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** A store with a second connection, which indexes rows or crashes meanwhile. */
async function openHistory() {
  files += 1;
  const file = join(folder, `${files}.db`);
  let store = await openSqliteStore({ file });
  const beside = await openConnection(file);
  const ids = { runs: new Array<string>(), deliveries: new Array<string>() };
  return {
    ids,
    file,
    beside,
    store: () => store,
    async reopen() {
      await store.close();
      store = await openSqliteStore({ file });
    },
    async close() {
      await store.close();
      beside.close();
    },
  };
}

type History = Awaited<ReturnType<typeof openHistory>>;

const small = fc.integer({ min: 0, max: 7 });

/** One change of the store, or of the list index. */
const changes: fc.Arbitrary<(history: History) => Promise<unknown> | void> = fc.oneof(
  fc
    .record({
      trigger: fc.constantFrom("t", "u", null),
      slug: fc.constantFrom("a", "b"),
      at: small,
      text: fc.constantFrom("x", "y"),
      isAgent: fc.boolean(),
      isKeyed: fc.boolean(),
      large: fc.boolean(),
    })
    .map((made) => async ({ ids, store }: History) => {
      const run = aRun({
        trigger: made.trigger,
        target: { kind: made.isAgent ? "agent" : "workflow", slug: made.slug },
        createdAt: epoch + made.at,
        payload: { text: made.text, pad: "-".repeat(made.large ? 3_000 : 0) },
        keyId: made.isKeyed ? "key_1" : null,
        version: made.text === "x" ? "v1" : "v2",
        deliveryId: await lastDelivery(store(), ids.deliveries),
        replayOf: made.isKeyed ? (ids.runs.at(-1) ?? null) : null,
      });
      await store().createRuns([run]);
      ids.runs.push(run.id);
    }),
  fc
    .record({
      endpoint: fc.constantFrom("e", "f"),
      at: small,
      outcome: fc.constantFrom("accepted" as const, "rejected" as const),
      text: fc.constantFrom("x", "y"),
      isAgain: fc.boolean(),
    })
    .map((made) => async ({ ids, store }: History) => {
      const delivery = aDelivery({
        endpoint: made.endpoint,
        receivedAt: epoch + made.at,
        outcome: made.outcome,
        responseStatus: made.outcome === "accepted" ? 202 : 422,
        body: Buffer.from(made.text + "-".repeat(made.at * 700)),
        redeliveryOf: made.isAgain ? (ids.deliveries[0] ?? null) : null,
      });
      await store().recordDelivery(delivery);
      ids.deliveries.push(delivery.id);
    }),
  fc
    .record({
      limit: fc.integer({ min: 1, max: 3 }),
      to: fc.constantFrom("running", "completed", "failed", "waiting", "queued"),
      tokens: fc.option(small),
    })
    .map(({ limit, to, tokens }) => async ({ store }: History) => {
      for (const { id, token } of await store().claimRuns(aClaim({ limit, now: epoch + 1_000 }))) {
        const progress = {
          runId: id,
          token,
          now: epoch + 1_001,
          entries: [],
          ...(tokens !== null && { spend: { tokens, costUsd: tokens / 4 } }),
        };
        if (to === "completed") await store().writeProgress({ ...progress, transition: { to, output: null } });
        else if (to === "failed") await store().writeProgress({ ...progress, transition: { to, error: null } });
        else if (to === "queued") await store().writeProgress({ ...progress, transition: { to } });
        else if (to === "waiting")
          await store().writeProgress({ ...progress, transition: { to, reason: "sleep", availableAt: epoch + 2_000 } });
        else await store().writeProgress(progress);
      }
    }),
  small.map((at) => async ({ ids, store }: History) => {
    const id = ids.runs[at];
    if (id !== undefined) await store().requestCancel(id, epoch + 1_002);
  }),
  small.map((at) => async ({ store }: History) => {
    const old = { before: epoch + at, after: null };
    await store().removeOldDeliveries({ ...old, keysSince: 0 });
    await store().removeOldRuns(old);
  }),
  fc.record({ rows: fc.integer({ min: 1, max: 3 }), isLost: fc.boolean() }).map(
    (p) =>
      ({ beside }: History) =>
        index(beside, p),
  ),
  fc.constant(({ reopen }: History) => reopen()),
);

/** Retention may have removed it. */
async function lastDelivery(store: Store, ids: readonly string[]): Promise<string | null> {
  const delivery = await store.getDelivery(ids.at(-1) ?? "");
  return delivery?.id ?? null;
}

function index(connection: Connection, { rows, isLost }: { rows: number; isLost: boolean }): void {
  const lists = prepareListIndex(connection, rows);
  connection.exec("BEGIN IMMEDIATE");
  lists.fill();
  connection.exec(isLost ? "ROLLBACK" : "COMMIT");
}

/** The rows, read by id, newest first. */
async function readRows<Row>(
  ids: readonly string[],
  read: (id: string) => Promise<Row | null>,
  at: (row: Row) => string,
) {
  const rows = await Promise.all(ids.map(read));
  return rows
    .flatMap((row, order) => (row ? [{ row, order }] : []))
    .sort((a, b) => Date.parse(at(b.row)) - Date.parse(at(a.row)) || b.order - a.order)
    .map(({ row }) => row);
}

function isDeliveryWanted({ body, receivedAt, ...delivery }: Delivery, filter: DeliveryFilter): boolean {
  const bytes = body === null ? null : Buffer.from(body, "base64");
  return isDeliveryOf(filter, { ...aDelivery(), ...delivery, body: bytes, receivedAt: Date.parse(receivedAt) });
}

/** Reads all pages; the index is filled between two of them. */
async function readList(
  { beside }: History,
  list: (cursor: string | null) => ReturnType<Store["listRuns"] | Store["listDeliveries"]>,
): Promise<string[]> {
  const pages = await readPages<{ id: string }>(async (cursor) => {
    const page = await list(cursor);
    index(beside, { rows: 1, isLost: false });
    return page;
  });
  return pages.flat().map(({ id }) => id);
}

/** Pages end as early as they can. */
const noTime: typeof listBudget = { pageMs: 0, emptyPageMs: 0, sqliteScanMs: 0, countMs: 0 };

describe("every list", () => {
  const budget = { ...listBudget };

  it.each([0, 1, 2])(
    "has exactly the rows that match, in order, at any moment of any history (part %i)",
    async (part) => {
      const scans = fc.record({
        run: runFilters,
        delivery: deliveryFilters,
        limit: fc.integer({ min: 1, max: 4 }),
        isOfDelivery: fc.boolean(),
        isHurried: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(changes, scans), { maxLength: 25 }), async (steps) => {
          const history = await openHistory();
          const { ids, store } = history;
          try {
            for (const [change, { run, delivery, limit, isOfDelivery, isHurried }] of steps) {
              await change(history);
              Object.assign(listBudget, isHurried ? noTime : budget);
              const runFilter = {
                ...run,
                ...(isOfDelivery && ids.deliveries[0] !== undefined && { delivery: ids.deliveries[0] }),
              };
              const runs = await readRows(
                ids.runs,
                (id) => store().getRun(id),
                ({ createdAt }) => createdAt,
              );
              expect(await readList(history, (cursor) => store().listRuns(runFilter, { limit, cursor }))).toEqual(
                runs.filter((row) => isRunOf(runFilter, row)).map(({ id }) => id),
              );
              const deliveries = await readRows(
                ids.deliveries,
                (id) => store().getDelivery(id),
                ({ receivedAt }) => receivedAt,
              );
              expect(await readList(history, (cursor) => store().listDeliveries(delivery, { limit, cursor }))).toEqual(
                deliveries.filter((row) => isDeliveryWanted(row, delivery)).map(({ id }) => id),
              );
              expect(findListDamage(history.beside)).toBeNull();
            }
          } finally {
            Object.assign(listBudget, budget);
            await history.close();
          }
        }),
        { numRuns: 20, seed: seedByDate("PROPERTY_SEED") + part },
      );
    },
  );
});

describe("the list index", () => {
  it("is filled by the store: some seconds after the last write, or immediately when a thousand rows are missing", async () => {
    const { store, beside, close } = await openHistory();
    const unlisted = () => prepareListIndex(beside).countUnlisted();
    await store().createRuns(Array.from({ length: 3 }, () => aRun()));
    await expect.poll(unlisted).toBe(0);
    await store().createRuns(Array.from({ length: 1_200 }, () => aRun()));
    await expect.poll(unlisted).toBe(0);
    await close();
  });

  it("that differs from its rows is found, and is rebuilt from them", async () => {
    const { store, beside, file, close } = await openHistory();
    await store().createRuns([aRun(), aRun(), aRun()]);
    await store().recordDelivery(aDelivery());
    expect(await reindexFile(file)).toBe(4);
    expect(findListDamage(beside)).toBeNull();
    beside.exec("UPDATE run_list SET status = 4 WHERE seq = 2");
    expect(findListDamage(beside)).toBe("1 entry of run_list differs from its row");
    beside.exec("DELETE FROM run_list WHERE seq < 3");
    expect(findListDamage(beside)).toBe("2 entries of run_list differ from their rows");
    expect(await reindexFile(file)).toBe(4);
    expect(findListDamage(beside)).toBeNull();
    expect((await store().listRuns({ status: "queued" }, { limit: 5, cursor: null })).data).toHaveLength(3);
    await close();
  });
});
