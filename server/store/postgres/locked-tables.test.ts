import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../ports/store.ts";
import { aDelivery, aRun } from "../testing/factories.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { openPostgresStore } from "./open-store.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const lockSql = "BEGIN; LOCK TABLE signalbox.run IN ACCESS EXCLUSIVE MODE";
/** For machines that pause for some seconds. */
const marginMs = 3_000;

describe.each([{ by: "directly" }, { by: "by way of a pooler" }])("a store that is reached $by", ({ by }) => {
  let store: Store;
  let other: Client;
  beforeEach(async () => {
    const url = await server.createDatabase();
    store = await openPostgresStore(by === "directly" ? { url } : { url: await server.pooledUrl(url), directUrl: url });
    other = new Client(url);
    await other.connect();
  });
  afterEach(async () => {
    await other.end();
    await store.close();
  });

  const accept = async (p: { withinMs?: number; key?: string; isAbandoned?: () => boolean } = {}) => {
    const delivery = aDelivery();
    const since = performance.now();
    const { withinMs, isAbandoned } = p;
    const idempotency = p.key === undefined ? null : { key: p.key, notBefore: 0 };
    const accepting = store.acceptDelivery(
      { delivery, runs: [aRun({ deliveryId: delivery.id })], idempotency },
      withinMs === undefined ? undefined : { by: since + withinMs, ...(isAbandoned && { isAbandoned }) },
    );
    const result = await accepting.then(
      ({ kind }) => kind,
      (error: { code?: string }) => error.code,
    );
    return { id: delivery.id, result, ms: performance.now() - since };
  };

  /** Every delivery has its run if it was accepted, and else nothing. */
  async function expectExactly(answers: readonly { id: string; result: unknown }[]): Promise<void> {
    const { rows } = await other.query<{ id: string; runs: number }>(
      "SELECT d.id, count(r.id)::int AS runs FROM signalbox.delivery d LEFT JOIN signalbox.run r ON r.delivery_id = d.id GROUP BY d.id ORDER BY d.id",
    );
    const accepted = answers.filter(({ result }) => result === "accepted").map(({ id }) => ({ id, runs: 1 }));
    expect(rows).toEqual(accepted.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  }

  it("with a locked table rejects all writes of a transaction after one wait for the lock", async () => {
    await other.query(lockSql);
    const first = accept();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const answers = await Promise.all([first, ...Array.from({ length: 20 }, () => accept())]);
    await other.query("ROLLBACK");
    expect(answers.filter(({ result }) => result !== "store_unavailable")).toEqual([]);
    // Two waits of five seconds. One for each write would take more than a minute.
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(30_000);
    await expectExactly([...answers, await accept()]);
  });

  it.each([{ key: undefined }, { key: "evt_1" }])(
    "with a locked table answers every write in its time, and writes none that it rejected; idempotency key: $key",
    async ({ key }) => {
      await other.query(lockSql);
      const withKey = (n: number) => (key === undefined ? {} : { key: `${key} ${n}` });
      const answers = [];
      for (let n = 0; n < 12; n += 1) {
        answers.push(accept({ withinMs: 3_500, ...withKey(n) }));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      const settled = await Promise.all(answers);
      await other.query("ROLLBACK");
      expect(settled.filter(({ result }) => result !== "store_unavailable")).toEqual([]);
      expect(Math.max(...settled.map(({ ms }) => ms))).toBeLessThan(3_500 + marginMs);
      await expectExactly([...settled, await accept({ withinMs: 60_000 })]);
    },
  );

  it("whose table is locked for a moment accepts what waits, but not what was abandoned", async () => {
    await other.query(lockSql);
    let isGone = false;
    const first = accept({ withinMs: 9_500 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    const waiting = [
      accept({ withinMs: 9_500, isAbandoned: () => isGone }),
      accept({ withinMs: 9_500, isAbandoned: () => false }),
    ];
    isGone = true;
    await other.query("ROLLBACK");
    const answers = await Promise.all([first, ...waiting]);
    expect(answers.map(({ result }) => result)).toEqual(["accepted", "store_unavailable", "accepted"]);
    await expectExactly(answers);
  });

  it("answers in time although a COMMIT takes longer", async () => {
    await other.query(`
      CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(12); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON signalbox.delivery DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.wait()`);
    const { result, ms } = await accept({ withinMs: 4_000 });
    expect(result).toBe("store_unavailable");
    expect(ms).toBeLessThan(4_000 + marginMs);
  });
});
