import * as fc from "fast-check";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { newId } from "../../../domain/ids.ts";
import type { FeedPosition } from "../../../ports/store/feed-store.ts";
import type { Store } from "../../../ports/store.ts";
import { aDelivery } from "../../testing/factories.ts";
import { readOn } from "../../testing/feed-contract.ts";
import { type PostgresServer, startPostgres } from "../../testing/postgres-server.ts";
import { openPostgresStore } from "../open-store.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const transactions = 4;
let store: Store;
let clients: Client[];
let insertSql: string;
beforeEach(async () => {
  const url = await server.createDatabase();
  store = await openPostgresStore({ url });
  clients = Array.from(
    { length: transactions },
    () => new Client({ connectionString: url, options: "-c search_path=signalbox" }),
  );
  await Promise.all(clients.map((client) => client.connect()));
  const { rows } = await clientAt(0).query<{ name: string }>(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'signalbox' AND table_name = 'delivery' AND column_name NOT IN ('id', 'position')",
  );
  const columns = rows.map(({ name }) => name).join(", ");
  const template = aDelivery();
  await store.recordDelivery(template);
  insertSql = `INSERT INTO delivery (id, ${columns}) SELECT $1, ${columns} FROM delivery WHERE id = '${template.id}'`;
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await store.close();
});

function clientAt(at: number): Client {
  const client = clients[at];
  if (!client) throw new Error(`no client ${at}`);
  return client;
}

/** Reads the feed until it is stopped, and then to its end. */
function follow(from: FeedPosition) {
  const ids: string[] = [];
  let isStopped = false;
  const done = (async () => {
    for (let after = from; ;) {
      const wasStopped = isStopped;
      const page = await store.readFeed({ after, endpoints: null });
      ids.push(...page.entries.map(({ delivery }) => delivery.id));
      after = page.end;
      if (page.isAtEnd && wasStopped) return ids;
    }
  })();
  return {
    ids,
    stop: () => {
      isStopped = true;
      return done;
    },
  };
}

it("every delivery is read once, in any order in which concurrent transactions take their numbers, commit and roll back", async () => {
  const step = fc.record({
    by: fc.nat({ max: transactions - 1 }),
    action: fc.constantFrom("insert" as const, "insert" as const, "commit" as const, "roll back" as const),
    pauseMs: fc.constantFrom(0, 0, 8),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 30 }), async (steps) => {
      const reader = follow(await store.findFeedStart(null));
      const open = new Map<number, string[]>();
      const committed: string[] = [];
      const end = async (by: number, action: "commit" | "roll back") => {
        const ids = open.get(by);
        if (!ids) return;
        open.delete(by);
        await clientAt(by).query(action === "commit" ? "COMMIT" : "ROLLBACK");
        if (action === "commit") committed.push(...ids);
      };
      for (const { by, action, pauseMs } of steps) {
        if (action === "insert") {
          if (!open.has(by)) await clientAt(by).query("BEGIN");
          const id = newId("dlv");
          open.set(by, [...(open.get(by) ?? []), id]);
          await clientAt(by).query(insertSql, [id]);
        } else await end(by, action);
        if (pauseMs > 0) await new Promise((resolve) => void setTimeout(resolve, pauseMs));
      }
      for (const by of open.keys()) await end(by, "commit");
      const read = await reader.stop();
      expect(read.toSorted()).toEqual(committed.toSorted());
    }),
    { numRuns: 60 },
  );
});

it("a delivery that is committed late is read before later ones, and a transaction that began afterwards is not waited for", async () => {
  const from = await store.findFeedStart(null);
  const [late, early, unfinished] = [newId("dlv"), newId("dlv"), newId("dlv")];
  await clientAt(0).query("BEGIN");
  await clientAt(0).query(insertSql, [late]);
  await clientAt(1).query(insertSql, [early]);
  const reading = readOn(store, from);
  await clientAt(2).query("BEGIN");
  await clientAt(2).query(insertSql, [unfinished]);
  await clientAt(0).query("COMMIT");
  expect((await reading).ids).toEqual([late, early]);
  await clientAt(2).query("ROLLBACK");
});

it("transactions on other tables delay nothing", async () => {
  const from = await store.findFeedStart(null);
  await clientAt(0).query("BEGIN");
  await clientAt(0).query("UPDATE store_fact SET value = value");
  await clientAt(0).query("SELECT pg_current_xact_id()");
  await clientAt(1).query("BEGIN");
  await clientAt(1).query(insertSql, [newId("dlv")]);
  await clientAt(1).query("ROLLBACK");
  const id = newId("dlv");
  await clientAt(1).query(insertSql, [id]);
  expect((await store.readFeed({ after: from, endpoints: null })).entries.map(({ delivery }) => delivery.id)).toEqual([
    id,
  ]);
  await clientAt(0).query("ROLLBACK");
});
