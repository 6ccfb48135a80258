import { and, asc, eq, lt } from "drizzle-orm";
import type { ContractStore } from "../../ports/store/contract-store.ts";
import type { StoreDatabase, StoreSession } from "./store-database.ts";
import type { Operation } from "../shared/operation.ts";

/** The kind of the row about the endpoint as a whole. No event has it. */
const wholeEndpoint = "*";

export function createContractStore({ tables: { eventContract }, read, write }: StoreDatabase): ContractStore {
  function* rowsOf({ db, rows }: StoreSession, endpoint: string): Operation<Row[]> {
    return yield* rows(
      db.select().from(eventContract).where(eq(eventContract.endpoint, endpoint)).orderBy(asc(eventContract.kind)),
    );
  }
  return {
    readContracts: (endpoint) =>
      read(function* (session) {
        const found = yield* rowsOf(session, endpoint);
        const whole = found.find(({ kind }) => kind === wholeEndpoint);
        return {
          revision: whole?.revision ?? 0,
          endpoint: whole?.content ?? null,
          kinds: new Map(
            found.flatMap(({ kind, content }) => (kind === wholeEndpoint ? [] : [[kind, content] as const])),
          ),
        };
      }),
    saveContracts: ({ endpoint, revision, content, lastSeen, kinds }) =>
      write(function* (session) {
        // The lock orders the writers: a revision is written once.
        yield* session.lockTable(eventContract);
        const [whole] = yield* session.rows(
          session.db
            .select({ revision: eventContract.revision })
            .from(eventContract)
            .where(and(eq(eventContract.endpoint, endpoint), eq(eventContract.kind, wholeEndpoint))),
        );
        if ((whole?.revision ?? 0) !== revision) return false;
        for (const row of [{ kind: wholeEndpoint, content, lastSeen }, ...kinds]) {
          const values = { ...row, revision: revision + 1 };
          yield* session.run(
            session.db
              .insert(eventContract)
              .values({ id: `${endpoint} ${row.kind}`, endpoint, ...values })
              .onConflictDoUpdate({ target: eventContract.id, set: values }),
          );
        }
        return true;
      }),
    removeOldContracts: ({ before }) =>
      write(function* ({ db, rows }) {
        const removed = yield* rows(
          db.delete(eventContract).where(lt(eventContract.lastSeen, before)).returning({ id: eventContract.id }),
        );
        return { removed: removed.length, next: null };
      }),
  };
}

type Row = StoreDatabase["tables"]["eventContract"]["$inferSelect"];
