import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { AuditAction } from "../../contract/access/audit-actions.ts";
import { newId } from "../../domain/ids.ts";
import type { NewAuditEntry } from "../../ports/store/people-store.ts";
import type { Store } from "../../ports/store.ts";
import { aKey, epoch, withRunningRun } from "../testing/factories.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { openPostgresStore } from "./open-store.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** Two machines with one database, and a client that blocks them. */
let one: Store;
let other: Store;
let blocker: Client;
beforeEach(async () => {
  const url = await server.createDatabase();
  [one, other] = await Promise.all([openPostgresStore({ url }), openPostgresStore({ url })]);
  blocker = new Client({ connectionString: url, options: "-c search_path=signalbox" });
  await blocker.connect();
});
afterEach(async () => {
  await blocker.end();
  await Promise.all([one.close(), other.close()]);
});

/**
 * The results of an operation on both machines. They start one after the other, while `blockSql` blocks their writes:
 * without a lock, the second one would decide by the state before the first one.
 */
async function race<Result>(blockSql: string, operation: (store: Store, at: 0 | 1) => Promise<Result>) {
  await blocker.query("BEGIN");
  await blocker.query(blockSql);
  const countBlocked = async () => {
    const { rows } = await blocker.query<{ count: string }>(
      "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted",
    );
    return Number(rows[0]?.count);
  };
  const first = operation(one, 0);
  await vi.waitUntil(async () => (await countBlocked()) === 1, { interval: 20 });
  const results = Promise.all([first, operation(other, 1)]);
  await vi.waitUntil(async () => (await countBlocked()) === 2, { interval: 20 });
  await blocker.query("COMMIT");
  return await results;
}

function anAudit(action: AuditAction): NewAuditEntry {
  const actor = { kind: "machine" as const, id: null, name: null };
  return { id: newId("aud"), at: epoch, action, actor, subject: null, address: null, detail: null };
}

async function invite(hash: string, given: { kind?: "invitation" | "reset"; personId?: string } = {}): Promise<void> {
  const invitation = {
    id: `inv_${hash}`,
    kind: given.kind ?? "invitation",
    hash,
    role: "admin" as const,
    note: "",
    createdBy: "Grace",
    createdById: null,
    personId: given.personId ?? null,
    createdAt: epoch,
    expiresAt: epoch + 1000,
  };
  await one.createInvitation({ invitation, audit: anAudit("invitation.created") });
}

const join = (store: Store, hash: string, id: string) =>
  store.acceptInvitation({
    hash,
    person: { id, name: id, email: `${id}@example.com`, accountId: `acc_${id}`, passwordHash: "salt:hash" },
    now: epoch,
    audit: anAudit("person.joined"),
  });

it("of two admins who are removed at the same time, one stays", async () => {
  for (const id of ["per_0", "per_1"]) {
    await invite(id);
    await join(one, id, id);
  }
  const outcomes = await race("SELECT FROM person FOR UPDATE", (store, at) =>
    store.removePerson({
      id: `per_${at}`,
      now: epoch,
      audit: anAudit("person.removed"),
      auditToken: () => anAudit("key.revoked"),
    }),
  );
  expect(outcomes.toSorted()).toEqual(["changed", "last-admin"]);
  expect(await one.listPeople(epoch)).toMatchObject([{ role: "admin" }]);
});

it("one person joins with an invitation that two use at the same time", async () => {
  await invite("h");
  const outcomes = await race("SELECT FROM invitation FOR UPDATE", (store, at) => join(store, "h", `per_${at}`));
  expect(outcomes.toSorted()).toEqual(["joined", "unusable"]);
  expect(await one.countPeople()).toBe(1);
});

it("a reset link that is used twice at the same time sets one password", async () => {
  await invite("h");
  await join(one, "h", "per_0");
  await invite("r", { kind: "reset", personId: "per_0" });
  const results = await race("SELECT FROM invitation FOR UPDATE", (store, at) =>
    store.resetPassword({ hash: "r", passwordHash: `${at}`, now: epoch, audit: anAudit("person.password-reset") }),
  );
  expect(results.toSorted()).toEqual([false, true]);
  expect(await one.findPasswordHash("per_0")).toBe(`${results.indexOf(true)}`);
});

it("a key that is rotated twice at the same time is replaced once", async () => {
  await one.createKey(aKey({ id: "key_old" }));
  const results = await race("SELECT FROM webhook_key FOR UPDATE", (store) =>
    store.rotateKey({ id: "key_old", next: aKey(), endsAt: epoch + 10, now: epoch }),
  );
  expect(results.map(({ kind }) => kind).toSorted()).toEqual(["rotated", "taken"]);
  expect(await one.listKeys()).toHaveLength(2);
});

it("triggers that are disabled at the same time get different revisions", async () => {
  await race("LOCK TABLE trigger_switch IN SHARE ROW EXCLUSIVE MODE", (store, at) =>
    store.switchTrigger({ slug: `trigger-${at}`, disable: { at: epoch, reason: null } }),
  );
  const { rows } = await blocker.query("SELECT revision FROM trigger_switch ORDER BY revision");
  expect(rows).toEqual([{ revision: "1" }, { revision: "2" }]);
});

it("an approval that two people decide at the same time is decided once", async () => {
  const id = await waitForApproval();
  const outcomes = await race("SELECT FROM run FOR UPDATE", (store, at) =>
    store.decideApproval({
      runId: id,
      name: "approval a",
      decision: { isApproved: at === 0, reason: null, by: `per_${at}` },
      now: epoch,
    }),
  );
  expect(outcomes.toSorted()).toEqual(["closed", "decided"]);
  const entries = await one.listTimeline(id, { after: 0, limit: 100 });
  expect(entries.filter(({ kind }) => kind === "approval_decided")).toHaveLength(1);
});

it.each([
  ["before", 0],
  ["after", 1],
])("a run that is canceled just %s its worker returns it to the queue is canceled", async (_, cancelsAt) => {
  const { id, token } = await withRunningRun(one);
  await race<unknown>("SELECT FROM run FOR UPDATE", (store, at) =>
    at === cancelsAt
      ? store.requestCancel(id, epoch)
      : store.writeProgress({ runId: id, token, now: epoch, entries: [], transition: { to: "queued" } }),
  );
  expect(await one.getRun(id)).toMatchObject({ status: "canceled" });
  const entries = await one.listTimeline(id, { after: 0, limit: 100 });
  expect(entries.filter(({ kind }) => kind === "canceled")).toHaveLength(1);
});

async function waitForApproval(): Promise<string> {
  const { id, token } = await withRunningRun(one);
  const request = { toolCallId: "c1", toolName: "refund", input: {} };
  await one.writeProgress({
    runId: id,
    token,
    now: epoch,
    entries: [],
    steps: [
      {
        name: "approval a",
        kind: "approval",
        attempt: 1,
        startedAt: epoch,
        finishedAt: null,
        until: epoch + 1000,
        result: { request },
        sequence: null,
      },
    ],
    transition: { to: "waiting", reason: "sleep", availableAt: epoch + 1000 },
  });
  return id;
}
