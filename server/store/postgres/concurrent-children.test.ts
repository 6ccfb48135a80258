import { Client } from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { newId } from "../../domain/ids.ts";
import { readChildResult } from "../../domain/runs/child-runs.ts";
import { isEnded } from "../../shared/runs/run-state.ts";
import type { ClaimedRun, RunTransition } from "../../ports/store/engine-store.ts";
import type { Store } from "../../ports/store.ts";
import { aClaim, aRun, epoch, kindsOf } from "../testing/factories.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { askPostgres } from "../../../scripts/ask-postgres.ts";
import { openPostgresStore } from "./open-store.ts";

let server: PostgresServer;
beforeAll(async () => void (server = await startPostgres()));
afterAll(() => server.stop());

const far = epoch + 1e10;
const families = 300;
const names = ["charge", "print", "ship"];
const failed: RunTransition = { to: "failed", error: { name: "Declined", message: "no funds", stack: null } };

const failsAt = (at: number) => at % 10 === 7;
/** The others are canceled. */
const staysOpen = (at: number) => !failsAt(at) && at % 10 !== 8;

type Held = Pick<ClaimedRun, "id" | "token">;

async function openBoth(): Promise<[Store, Store, string]> {
  const url = await server.createDatabase();
  return [await openPostgresStore({ url }), await openPostgresStore({ url }), url];
}

/** A claimed run calls a child with each name. */
async function callAll(store: Store, parent: Held, p: { now?: number; until?: number } = {}): Promise<string[]> {
  const { now = epoch, until = null } = p;
  const children = names.map((step) =>
    aRun({
      id: newId("run"),
      startedBy: "parent",
      trigger: null,
      attachmentId: null,
      payload: null,
      input: {},
      createdAt: now,
      child: { of: parent.id, step, link: "call", depth: 1 },
    }),
  );
  const steps = children.map(({ id: runId, child }) => ({
    name: child?.step ?? "",
    kind: "child" as const,
    attempt: 1,
    startedAt: now,
    finishedAt: null,
    until,
    result: { runId },
    sequence: null,
  }));
  await store.writeProgress({ runId: parent.id, token: parent.token, now, entries: [], steps, children });
  return children.map(({ id }) => id);
}

const suspend = (store: Store, { id: runId, token }: Held, now = epoch) =>
  store.writeProgress({
    runId,
    token,
    now,
    entries: [],
    awaitsChildren: true,
    transition: { to: "waiting", reason: "sleep", availableAt: far },
  });

const end = (store: Store, { id: runId, token }: Held, transition: RunTransition, now = epoch) =>
  store.writeProgress({ runId, token, now, entries: [], transition });

async function settleAll(store: Store, now = epoch): Promise<void> {
  while (await store.settleRuns({ now, limit: 50 }));
}

/** Each store settles, as the host of its machine does, until the returned function is called. */
function settleAllTheTime(stores: readonly Store[]): () => Promise<void> {
  const done = new AbortController();
  const settling = stores.map(async (store) => {
    while (!done.signal.aborted) {
      await settleAll(store);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await settleAll(store);
  });
  return async () => {
    done.abort();
    await Promise.all(settling);
  };
}

it("parents and children on two machines end, wait, are canceled and settled at the same time: each call ends once, and no parent sleeps without an open child", async () => {
  const [first, second] = await openBoth();
  const both = [first, second];
  try {
    await first.createRuns(Array.from({ length: families }, () => aRun()));
    const parents = await first.claimRuns(aClaim({ limit: families }));
    expect(parents).toHaveLength(families);
    const childrenOf = new Map<string, string[]>();
    await Promise.all(parents.map(async (parent) => childrenOf.set(parent.id, await callAll(first, parent))));
    const claimed = await second.claimRuns(aClaim({ limit: families * names.length }));
    const heldOf = new Map(claimed.map((run) => [run.id, run]));
    expect(heldOf.size).toBe(families * names.length);
    const stopSettling = settleAllTheTime(both);
    // Each family in an order of its own, on both machines.
    const work = parents.flatMap((parent, at) => {
      const other = both[at % 2] ?? first;
      const ofChildren = (childrenOf.get(parent.id) ?? []).map((id, part) => () => {
        const child = heldOf.get(id);
        const store = both[(at + part) % 2] ?? first;
        return child && end(store, child, (at + part) % 5 === 0 ? failed : { to: "completed", output: part });
      });
      const ofParent = () => {
        if (failsAt(at)) return end(other, parent, failed);
        if (staysOpen(at)) return suspend(other, parent);
        return suspend(other, parent).then(() => first.requestCancel(parent.id, epoch));
      };
      const all = [...ofChildren, ofParent];
      return [...all.slice(at % all.length), ...all.slice(0, at % all.length)];
    });
    await Promise.all(work.map((act) => act()));
    await stopSettling();
    const due = await second.claimRuns(aClaim({ limit: 2 * families }));
    const waiting = parents.filter((_, at) => staysOpen(at)).map(({ id }) => id);
    expect(due.map(({ id }) => id).toSorted()).toEqual(waiting.toSorted());
    for (const [at, parent] of parents.entries()) {
      const children = await Promise.all((childrenOf.get(parent.id) ?? []).map((id) => first.getRun(id)));
      expect(children.map((child) => child && isEnded(child.status))).toEqual([true, true, true]);
      if (!staysOpen(at)) continue;
      const steps = await first.loadSteps(parent.id);
      const results = steps.map(({ result }) => readChildResult(result));
      expect(results.map(({ runId, status }) => [runId, status])).toEqual(
        children.map((child) => [child?.id, child?.status]),
      );
      const kinds = await kindsOf(first, parent.id);
      expect(kinds.filter((kind) => kind === "child_finished")).toHaveLength(names.length);
    }
  } finally {
    await Promise.all(both.map((store) => store.close()));
  }
});

it("families that are canceled, fail and end on two machines at the same time leave no child open", async () => {
  const [first, second] = await openBoth();
  const both = [first, second];
  try {
    await first.createRuns(Array.from({ length: families }, () => aRun()));
    const parents = await first.claimRuns(aClaim({ limit: families }));
    const children = (await Promise.all(parents.map((parent) => callAll(first, parent)))).flat();
    const stopSettling = settleAllTheTime(both);
    const endParent = async (parent: Held, at: number) => {
      const store = both[at % 2] ?? first;
      if (at % 3 === 0) await end(store, parent, failed);
      else await suspend(store, parent).then(() => store.requestCancel(parent.id, epoch));
    };
    const cancelSome = (id: string, at: number) => (at % 3 === 0 ? second.requestCancel(id, epoch) : null);
    await Promise.all([...parents.map(endParent), ...children.map(cancelSome)]);
    await stopSettling();
    const statuses = await Promise.all(children.map(async (id) => (await first.getRun(id))?.status));
    expect(new Set(statuses)).toEqual(new Set(["canceled"]));
  } finally {
    await Promise.all(both.map((store) => store.close()));
  }
});

it("a parent that fails while another machine settles it has its children canceled", async () => {
  const [store, other, url] = await openBoth();
  const client = new Client(url);
  await client.connect();
  try {
    await store.createRuns([aRun()]);
    const [parent] = await store.claimRuns(aClaim({ limit: 1 }));
    if (!parent) throw new Error("no run is due");
    const [, open = ""] = await callAll(store, parent);
    // It is to be settled, and no child of it is to be canceled yet.
    await client.query("UPDATE signalbox.run SET settle_at = 1 WHERE id = $1", [parent.id]);
    await client.query("BEGIN");
    await client.query("SELECT FROM signalbox.run WHERE id = $1 FOR UPDATE", [parent.id]);
    const settling = other.settleRuns({ now: epoch, limit: 10 });
    const waitingText = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    await vi.waitFor(async () => expect(await askPostgres(url, waitingText)).toEqual([{ count: 1 }]));
    await client.query(
      "UPDATE signalbox.run SET status = 'failed', finished_at = 2, settle_at = 2, worker_id = NULL WHERE id = $1",
      [parent.id],
    );
    await client.query("COMMIT");
    await settling;
    await settleAll(store);
    expect((await store.getRun(open))?.status).toBe("canceled");
  } finally {
    await client.end();
    await Promise.all([store.close(), other.close()]);
  }
});
