import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../domain/ids.ts";
import { migrationsFolder } from "../../../paths.ts";
import { systemClock } from "../../../ports/clock.ts";
import { silentLogger } from "../../../ports/logger.ts";
import type { IdentityCondition, NewAuditEntry } from "../../../ports/store/people-store.ts";
import { createCoreStore, type CoreStore } from "../../core/core-store.ts";
import { aClaim, aKey, aRun, epoch } from "../../testing/factories.ts";
import { createDatabase } from "../database.ts";
import { migrate } from "../file/migrate.ts";
import { type Connection, openConnection } from "../file/open-connection.ts";
import { openSqliteStore } from "../open-store.ts";
import { createQueueCapacity, prepareInsertRun } from "../runs/insert-run.ts";
import { prepareKeySlots } from "../runs/key-slots.ts";
import { prepareAddEntry } from "../runs/timeline.ts";
import { createStoreDatabase, createStoreSession } from "../store-database.ts";

const folder = mkdtempSync(join(tmpdir(), "signalbox-plans-"));
let connection: Connection;
let store: CoreStore;
/** The SQL that was prepared. */
const prepared = new Set<string>();
/** The query for the runs of a worker, which is prepared once. */
let ofWorker = "";

beforeAll(async () => {
  connection = await openConnection(join(folder, "ledger.db"));
  migrate(connection, { folder: migrationsFolder("sqlite"), clock: systemClock, logger: silentLogger });
  const prepare = connection.prepare.bind(connection);
  connection.prepare = (sql: string) => {
    prepared.add(sql);
    if (/"worker_id" = /.test(sql)) ofWorker = sql;
    return prepare(sql);
  };
  const database = createDatabase(connection, async (operation) => operation());
  const capacity = createQueueCapacity(database);
  const keySlots = prepareKeySlots(database);
  const insertRun = prepareInsertRun(database, { capacity, keySlots });
  // Each query is prepared again, even if an earlier one had the same SQL.
  const uncached = { ...database, db: drizzle(connection) };
  const addEntry = prepareAddEntry(database);
  const session = createStoreSession(uncached, { addEntry, insertRun, keySlots, capacity });
  store = createCoreStore(createStoreDatabase(uncached, { session, queueing: database.write }), { current: new Map() });
});
afterAll(() => {
  connection.close();
  rmSync(folder, { recursive: true, force: true });
});

const at = new Date(1);
const audit = (): NewAuditEntry => ({
  id: newId("aud"),
  at: 1,
  action: "key.created",
  actor: { kind: "machine", id: null, name: null },
  subject: null,
  address: null,
  detail: null,
});
const invitation = (kind: "setup" | "invitation" | "reset") => {
  const id = newId("inv");
  return {
    id,
    kind,
    hash: `hash of ${id}`,
    role: "admin" as const,
    note: "",
    createdBy: "",
    createdById: null,
    personId: kind === "reset" ? "per_1" : null,
    createdAt: 1,
    expiresAt: 9,
  };
};
const where = (field: string, value: unknown, operator = "eq"): IdentityCondition[] => [
  { field, operator, value, connector: "AND" },
];
const found = (table: "user" | "session" | "account" | "verification", condition: IdentityCondition[]) =>
  store.findRows({ table, where: condition, limit: 1, offset: 0, sortBy: null });
const page = { limit: 50, cursor: null };

/** Two people, and the removal of one of them, so that every statement of an operation runs. */
async function fill(): Promise<void> {
  for (const id of ["per_1", "per_2"]) {
    await store.insertRow("user", {
      id,
      name: id,
      email: `${id}@example.com`,
      role: "admin",
      createdAt: at,
      updatedAt: at,
    });
    await store.insertRow("account", {
      id: `acc_${id}`,
      userId: id,
      accountId: id,
      providerId: "credential",
      password: "x",
      createdAt: at,
      updatedAt: at,
    });
    await store.insertRow("session", {
      id: `ses_${id}`,
      userId: id,
      token: id,
      expiresAt: new Date(9),
      createdAt: at,
      updatedAt: at,
    });
  }
  for (const id of ["key_1", "key_2"]) await store.createKey(aKey({ id, kind: "api", ownerId: "per_2" }));
}

const operations: Record<string, () => Promise<unknown>> = {
  findSession: () => store.findSession("per_1", 5),
  touchSession: () => store.touchSession("ses_per_1", 5),
  "listSessions, of one": () => store.listSessions("per_1", 5),
  "listSessions, of all": () => store.listSessions(null, 5),
  endSession: () => store.endSession({ id: "ses_per_2", personId: "per_2", audit: audit() }),
  findRole: () => store.findRole("per_1"),
  findPasswordHash: () => store.findPasswordHash("per_1"),
  changePassword: () =>
    store.changePassword({ personId: "per_1", passwordHash: "y", keepSession: "ses_per_1", now: 5, audit: audit() }),
  createInvitation: async () => {
    for (const kind of ["setup", "invitation", "reset"] as const)
      await store.createInvitation({ invitation: invitation(kind), audit: audit() });
  },
  listInvitations: () => store.listInvitations(5),
  findInvitation: () => store.findInvitation("hash", 5),
  revokeInvitation: () => store.revokeInvitation({ id: "inv_1", now: 5, audit: audit() }),
  acceptInvitation: async () => {
    const made = invitation("invitation");
    await store.createInvitation({ invitation: made, audit: audit() });
    const person = { id: "per_3", name: "", email: "per_3@example.com", accountId: "acc_3", passwordHash: "x" };
    expect(await store.acceptInvitation({ hash: made.hash, person, now: 5, audit: audit() })).toBe("joined");
  },
  resetPassword: async () => {
    const made = invitation("reset");
    await store.createInvitation({ invitation: made, audit: audit() });
    expect(await store.resetPassword({ hash: made.hash, passwordHash: "z", now: 5, audit: audit() })).toBe(true);
  },
  changeRole: () => store.changeRole({ id: "per_2", role: "viewer", now: 5, audit: audit() }),
  removePerson: async () =>
    expect(await store.removePerson({ id: "per_2", now: 5, audit: audit(), auditToken: audit })).toBe("changed"),
  isRemovedPerson: () => store.isRemovedPerson({ email: "a@example.com", providerId: "oidc", accountId: "sub" }),
  listKeyCiphertexts: () => store.listKeyCiphertexts("webhook"),
  touchKey: () => store.touchKey("key_1", 5),
  rotateKey: async () => {
    await store.createKey(aKey({ id: "key_3" }));
    expect(await store.rotateKey({ id: "key_3", next: aKey(), endsAt: 9, now: 5, audit: [audit()] })).toMatchObject({
      kind: "rotated",
    });
  },
  revokeKey: () => store.revokeKey("key_1", 5, audit()),
  "the provider's user by address": () => found("user", where("email", "a@example.com")),
  "the provider's session by token": () => found("session", where("token", "t")),
  "the provider's accounts of a person": () => found("account", where("userId", "per_1")),
  "the provider's account elsewhere": () =>
    found("account", [...where("accountId", "a"), ...where("providerId", "oidc")]),
  "the provider's verification": () => found("verification", where("identifier", "i")),
  "the provider's expired rows": () =>
    Promise.all(
      (["session", "verification"] as const).map((table) => store.removeRows(table, where("expiresAt", at, "lt"))),
    ),
  "listAudit by action": () => store.listAudit({ action: "key.created" }, page),
  "listAudit by actor": () => store.listAudit({ actorId: "per_1", since: 1, until: 9 }, page),
  "listAudit by both": () => store.listAudit({ actorId: "per_1", action: "key.created" }, page),
};

/** There are few people: only growing tables need an index for each query. */
const growing = [
  "person_session",
  "person_account",
  "person_verification",
  "removed_person",
  "invitation",
  "webhook_key",
  "audit_entry",
];

function plansOf(statements: Iterable<string>): { sql: string; plan: string[] }[] {
  return [...statements]
    .filter((sql) => /^(with|select|update|delete)/i.test(sql))
    .map((sql) => {
      const rows = connection
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...Array<null>(sql.split("?").length - 1).fill(null));
      return { sql, plan: rows.map((row) => String(Reflect.get(Object(row), "detail"))) };
    });
}

describe("no query about people, links, keys or the audit log scans a table that grows with time", () => {
  beforeAll(fill);

  it.each(Object.keys(operations))("%s", async (name) => {
    prepared.clear();
    await operations[name]?.();
    const plans = plansOf([...prepared]);
    expect(plans.length).toBeGreaterThan(0);
    const scans = plans.filter(({ plan }) =>
      plan.some((step) => growing.some((table) => step.startsWith(`SCAN ${table}`))),
    );
    expect(scans).toEqual([]);
  });
});

/** One run that failed, and one that is queued. */
async function fillRuns(): Promise<string> {
  const writer = await openSqliteStore({ file: join(folder, "ledger.db") });
  await writer.createRuns([aRun(), aRun()]);
  for (const { id: runId, token } of await writer.claimRuns(aClaim({ limit: 1 })))
    await writer.writeProgress({ runId, token, now: epoch, entries: [], transition: { to: "failed", error: null } });
  const [open] = await writer.listOpenRuns({ limit: 1 });
  await writer.close();
  return open?.id ?? "";
}

describe("facts about runs are read by their indexes, and never from all runs", () => {
  let open: string;
  beforeAll(async () => {
    open = await fillRuns();
  });

  const byTarget = "SEARCH run USING INDEX run_by_failure_time (target=? AND finished_at>?)";
  const queued = "SEARCH run USING COVERING INDEX run_open (status=? AND is_isolated=? AND target=?)";
  const queuedOfPool = "SEARCH run USING COVERING INDEX run_open (status=? AND is_isolated=?)";
  it.each<[string, () => Promise<unknown>, string[]]>([
    ["counts of open runs", () => store.countOpenRuns(), ["SEARCH run USING COVERING INDEX run_open (status<?)"]],
    ["queued runs of a pool", () => store.countQueued("shared"), [queuedOfPool]],
    ["open runs by version", () => store.countOpenRunsByVersion(), ["SEARCH run USING INDEX run_open (status<?)"]],
    ["open runs", () => store.listOpenRuns({ limit: 5 }), ["SEARCH run USING INDEX run_open (status<?)"]],
    [
      "some open runs",
      () => store.readOpenRuns([open]),
      ["SEARCH run USING INDEX run_by_id (id=?)", "SEARCH run_step USING INDEX run_step_by_name (run=?)"],
    ],
    ["failures", () => store.listFailures({ since: 0, sinceOf: new Map() }), [byTarget]],
    ["queued runs", () => store.countQueuedOf([{ target: "workflow:welcome-email", upTo: 5 }]), [queued]],
    ["old approvals", () => store.listOldApprovals(epoch), ["SEARCH run USING INDEX run_open (status=?)"]],
  ])("%s", async (_, read, steps) => {
    prepared.clear();
    await read();
    const plan = plansOf([...prepared]).flatMap((statement) => statement.plan);
    expect(plan).toEqual(expect.arrayContaining(steps));
    expect(plan.filter((step) => /^SCAN run(_step)?\b/.test(step))).toEqual([]);
  });
});

/** A run with two child runs that has failed: one of them has ended, and the other is open. */
async function fillFamily(): Promise<string> {
  const writer = await openSqliteStore({ file: join(folder, "ledger.db") });
  const parent = aRun({ target: { kind: "workflow", slug: "parent" } });
  const [child, open] = ["a", "b"].map((step) =>
    aRun({ deliveryId: null, startedBy: "parent", child: { of: parent.id, step, link: "call", depth: 1 } }),
  );
  if (!child || !open) throw new Error("there are two child runs");
  const aStep = { kind: "child" as const, attempt: 1, startedAt: epoch, finishedAt: null, until: null, sequence: null };
  const fail = async (ids: readonly string[]) => {
    for (const { id: runId, token } of await writer.claimRuns(aClaim({ limit: 100 })))
      if (ids.includes(runId))
        await writer.writeProgress({
          runId,
          token,
          now: epoch,
          entries: [],
          transition: { to: "failed", error: null },
        });
      else if (runId === parent.id)
        await writer.writeProgress({
          runId,
          token,
          now: epoch,
          entries: [],
          steps: [child, open].map(({ id, child: place }) => ({
            ...aStep,
            name: place?.step ?? "",
            result: { runId: id },
          })),
          children: [child, open],
          transition: { to: "queued" },
        });
  };
  await writer.createRuns([parent]);
  await fail([]);
  await fail([parent.id, child.id]);
  await writer.close();
  return parent.id;
}

it("runs are settled, and child runs found and counted, by their indexes, and never from all runs", async () => {
  const parent = await fillFamily();
  const toSettle = "SEARCH run USING INDEX run_to_settle (settle_at>?)";
  const byParent = "SEARCH run USING INDEX run_by_parent (child_of=?)";
  const cases: [() => Promise<unknown>, string[]][] = [
    [() => store.findWaits({ ids: [parent], limits: new Map(), now: epoch }), [byParent]],
    [() => store.settleRuns({ now: epoch, limit: 10 }), [toSettle, byParent]],
    [() => store.listDescendants({ runId: parent, limit: 10 }), [byParent]],
  ];
  for (const [work, expected] of cases) {
    prepared.clear();
    await work();
    const plan = plansOf([...prepared]).flatMap((statement) => statement.plan);
    expect(plan).toEqual(expect.arrayContaining(expected));
    expect(plan.filter((step) => /^SCAN (run|parent|run_step)\b/.test(step))).toEqual([]);
  }
});

it("the runs of a worker are found among those that are running", () => {
  expect(plansOf([ofWorker])[0]?.plan).toContain("SEARCH run USING INDEX run_open (status=?)");
});

it("the audit log is read in the order of its index, a page at a time", async () => {
  for (const filter of [{}, { action: "key.created" as const }, { actorId: "per_1" }, { since: 1, until: 9 }]) {
    prepared.clear();
    await store.listAudit(filter, page);
    const [{ sql, plan } = { sql: "", plan: [] }] = plansOf([...prepared]);
    expect(sql).toMatch(/ limit \?$/);
    expect(plan).toEqual([
      expect.stringMatching(/^(SCAN|SEARCH) audit_entry USING INDEX audit_entry_by_(time|action|actor)/),
    ]);
  }
});
