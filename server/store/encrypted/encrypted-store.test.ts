import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contentKeyId, createKeyRing } from "../../domain/encryption/key-ring.ts";
import type { StoredAlert } from "../../domain/alerts/plan-alerts.ts";
import type { EventMatch } from "../../contract/run.ts";
import { newId } from "../../domain/ids.ts";
import { systemClock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import { openPostgresStore } from "../postgres/open-store.ts";
import { backUpDatabase } from "../sqlite/file/backup-database.ts";
import { openSqliteStore } from "../sqlite/open-store.ts";
import { deliveryContract } from "../testing/delivery-contract.ts";
import { childRunsContract } from "../testing/child-runs-contract.ts";
import { eventWaitsContract } from "../testing/event-waits-contract.ts";
import { engineContract } from "../testing/engine-contract.ts";
import { aClaim, aDelivery, aRun, aVerdict, claimOne, epoch } from "../testing/factories.ts";
import { heldContract } from "../testing/held-contract.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { runContract } from "../testing/run-contract.ts";
import { createEncryptedStore } from "./encrypted-store.ts";
import { openEncryptedStore } from "./open-encrypted-store.ts";

const folder = mkdtempSync(join(tmpdir(), "signalbox-encrypted-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = () => join(folder, `${(files += 1)}.db`);
const [key, formerKey] = [randomBytes(32), randomBytes(32)];
const openFile = async (file: string, keys: readonly Uint8Array[] = [key], isOn = true) =>
  openEncryptedStore({ store: await openSqliteStore({ file }), keys, isOn, clock: systemClock });

const openNew = () => openFile(newFile(), [key, formerKey]);

/** The contracts with most of the operations that have content. The tests below have the others. */
describe("an encrypted store", () => {
  deliveryContract(openNew);
  heldContract(openNew);
  runContract(openNew);
  engineContract(openNew);
  childRunsContract(openNew);
  eventWaitsContract(openNew);
});

/** Operations without content: ids, names, times, counts, access, and the drift, which is made from masked data. */
const withoutContent =
  /^(?:findWoken|finishSearch|listDescendants|reopenCalls|listHeld|countHeld|findFeedStart|hasFeedPosition|resumeRuns|requestCancel|sumSpend|count.*|extendLeases|listCancelRequested|listHeldRuns|reconcile|nextAvailableAt|heartbeatWorker|removeWorker|listWorkers|listDueRuns|applyLimits|listOpenRuns|countQueued.*|listOldApprovals|countActiveAlerts|removeOldAlerts|finishMessage|listQueueDepths|.*Key.*|.*Pe(?:rson|ople).*|.*Session.*|.*Role.*|.*Password.*|.*Invitation.*|.*Audit|.*Rows?|.*Preset.*|.*Trigger.*|.*Contracts|findOldest.*|removeOld.*|removeRejected|removeExpired.*|releaseSpace|readSize|.*RemovedBefore|.*ClockWatch|ping|watch.*|mark|liveMark|takeRates|numbers|close|.*Admin.*)$/;

const canary = "Canary-0815-Lovelace";
const body = Buffer.from(`{ "name": "${canary}", "at": 1.0 }`);
const agent = { kind: "agent", slug: "triage" } as const;
const content = { said: canary };

/** Of the runs that `recordWait` has recorded. */
async function expectWaits(store: Store, { ended, open }: { ended: string; open: string }): Promise<void> {
  const name = `wait for ${canary}`;
  const match = { "/said": canary, "/at": 1, "/isNew": true };
  const [step] = await store.loadSteps(ended);
  expect(step).toMatchObject({ name, result: { usedMs: 7, branch: "", source: "orders", payload: content } });
  expect(await store.listEventResults(ended)).toEqual([step?.result]);
  const waits = await store.findWaits({ ids: [ended, open], limits: new Map(), now: epoch });
  expect(waits.get(open)?.waitsFor).toMatchObject({ kind: "event", step: name, events: [{ source: "orders", match }] });
  const [found] = await store.listWaitsToSearch({ now: epoch + 100_000, limit: 10, runId: open });
  expect(found?.match).toEqual(match);
}

const anAlert: StoredAlert = {
  id: "",
  kind: "run_failed",
  subject: "workflow:greet",
  count: 1,
  lastAt: epoch,
  detail: {},
  openedAt: epoch,
  resolvedAt: null,
  reportedCount: null,
};

/** Records the canary wherever a sender or the code of a project can write. */
async function recordCanary(store: Store) {
  const reasons = [{ pointer: `/${canary}`, code: "c", message: canary, expected: null, actual: canary }];
  const delivery = aDelivery({
    body,
    bodySha256: createHash("sha256").update(body).digest("hex"),
    headers: { "content-type": "application/json", "x-customer": canary },
    outcome: "held",
    problem: {
      type: "/errors/x",
      title: "X",
      status: 422,
      code: "request_mismatch",
      detail: canary,
      errors: [{ pointer: `/${canary}`, code: "c", message: canary }],
    },
    verdicts: [aVerdict({ outcome: "request_mismatch", reasons })],
    unlistedVerdicts: [{ outcome: "filter_mismatch", pointer: `/${canary}`, actual: canary, count: 2 }],
  });
  await store.acceptDelivery({ delivery, runs: [], idempotency: { key: "1".repeat(64), notBefore: 0 } });
  const run = aRun({ deliveryId: delivery.id, payload: content, target: agent });
  await store.releaseDelivery({
    id: delivery.id,
    runs: [run],
    verdicts: [aVerdict({ runId: run.id, reasons })],
    unlistedVerdicts: [],
    at: epoch + 1,
  });
  const { id, token } = await claimOne(store);
  const base = { runId: id, token, now: epoch + 2 };
  const step = { attempt: 1, startedAt: epoch, finishedAt: epoch, until: null, sequence: 1 };
  await store.saveLive({ ...base, step: `say ${canary}`, attempt: 1, startedAt: epoch, said: content });
  const live = await store.getLive(id);
  const request = { toolCallId: "1", toolName: "mail", input: content };
  await store.writeProgress({
    ...base,
    input: content,
    entries: [
      { at: epoch, kind: "log", attempt: 1, level: "info", message: canary, data: content },
      { at: epoch, kind: "step_completed", attempt: 1, name: `greet ${canary}` },
      { at: epoch, kind: "approval_requested", attempt: 1, name: "approve 1 mail", data: request },
    ],
    steps: [
      { ...step, name: `greet ${canary}`, kind: "step", result: content },
      { ...step, name: "approve 1 mail", kind: "approval", finishedAt: null, result: { request } },
    ],
    transition: { to: "waiting", reason: "sleep", availableAt: epoch + 3 },
  });
  const decision = { isApproved: true, reason: `fine, ${canary}`, by: "ada@example.com" };
  await store.decideApproval({ runId: id, name: "approve 1 mail", decision, now: epoch + 3 });
  const error = { name: "MailError", message: `no such ${canary}`, stack: `MailError: ${canary}` };
  const again = await claimOne(store, { now: epoch + 4 });
  await store.writeProgress({
    ...base,
    token: again.token,
    entries: [{ at: epoch + 4, kind: "failed", attempt: 1, error }],
    now: epoch + 4,
    transition: { to: "failed", error },
  });
  const done = await store.createRuns([aRun({ payload: null, input: content })]).then(() => claimOne(store));
  await store.writeProgress({
    runId: done.id,
    token: done.token,
    now: epoch + 5,
    entries: [],
    transition: { to: "completed", output: content },
  });
  const waiting = await recordWait(store);
  const family = await recordFamily(store);
  const detail = { runs: [{ id, error: canary }] };
  const alert = { ...anAlert, id: newId("alt", epoch), detail };
  const message = { id: newId("msg", epoch), type: "alert.opened", destination: "webhook", alert } as const;
  await store.saveAlertPlan({ plan: { alerts: [alert], messages: [message] }, evaluatedAt: null, now: epoch });
  return { delivery, id, done: done.id, live, decision, error, alert, waiting, family };
}

/** Runs that wait for an event: one that has it, and one that has not. */
async function recordWait(store: Store): Promise<{ ended: string; open: string }> {
  const suspend = async (match: EventMatch) => {
    await store.createRuns([aRun()]);
    const { id: runId, token } = await claimOne(store, { now: epoch + 6 });
    const name = `wait for ${canary}`;
    const until = epoch + 1_000;
    const times = { attempt: 1, startedAt: epoch, finishedAt: null, until, sequence: null };
    await store.writeProgress({
      runId,
      token,
      now: epoch + 6,
      entries: [],
      steps: [{ ...times, name, kind: "event", result: { usedMs: 7 } }],
      waits: [{ step: name, branch: "", source: "orders", match, since: epoch, until }],
      transition: { to: "waiting", reason: "sleep", availableAt: until },
    });
    return runId;
  };
  const ended = await suspend({ "/said": canary });
  const open = await suspend({ "/said": canary, "/at": 1, "/isNew": true });
  await store.acceptDelivery({
    delivery: aDelivery({ endpoint: "orders", receivedAt: epoch + 7, body, outcome: "skipped", responseStatus: 200 }),
    runs: [],
    idempotency: null,
    delivered: {
      events: [{ source: "orders", payload: content }],
      ifWoken: { outcome: "accepted", responseStatus: 202, problem: null },
    },
  });
  return { ended, open };
}

/** A run that has called two others, which have completed. */
async function recordFamily(store: Store): Promise<{ parent: string; ids: string[] }> {
  const now = epoch + 8;
  await store.createRuns([aRun({ createdAt: now })]);
  const { id: runId, token } = await claimOne(store, { now });
  const children = ["charge", "print"].map((name) =>
    aRun({
      createdAt: now,
      payload: null,
      input: content,
      child: { of: runId, step: `${name} ${canary}`, link: "call", depth: 1 },
    }),
  );
  await store.writeProgress({
    runId,
    token,
    now,
    entries: [],
    steps: children.map(({ id, child }) => ({
      name: child?.step ?? "",
      kind: "child",
      attempt: 1,
      startedAt: now,
      finishedAt: null,
      until: null,
      result: { runId: id },
      sequence: null,
    })),
    children,
  });
  for (const child of await store.claimRuns(aClaim({ now, limit: 2 }))) {
    const transition = { to: "completed", output: content } as const;
    await store.writeProgress({ runId: child.id, token: child.token, now, entries: [], transition });
  }
  await store.writeProgress({
    runId,
    token,
    now,
    entries: [],
    awaitsChildren: true,
    transition: { to: "waiting", reason: "sleep", availableAt: epoch + 1e9 },
  });
  while (await store.settleRuns({ now, limit: 10 }));
  return { parent: runId, ids: children.map(({ id }) => id) };
}

async function expectFamily(store: Store, { parent, ids }: { parent: string; ids: string[] }): Promise<void> {
  const [charge, print] = ids;
  expect(await store.loadSteps(parent)).toMatchObject([
    { name: `charge ${canary}`, result: { runId: charge, status: "completed", output: content } },
    { name: `print ${canary}`, result: { runId: print, status: "completed", output: content } },
  ]);
  const children = await Promise.all([charge, print].map((id) => store.getRun(id ?? "")));
  expect(children).toMatchObject([charge, print].map((id) => ({ id, input: content, output: content })));
  const names = (await store.listTimeline(parent, { after: 0, limit: 10 })).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([`charge ${canary}`, `print ${canary}`]));
}

/** The canary as text, in base64, and in the hexadecimal of Postgres. */
const forms = [
  canary,
  ...[0, 1, 2].map((shift) =>
    Buffer.from("x".repeat(shift) + canary)
      .toString("base64")
      .slice(4, -4),
  ),
  Buffer.from(canary).toString("hex"),
];
const findIn = (bytes: Buffer) => forms.filter((form) => bytes.includes(form));

describe("encryption at rest", () => {
  it("concerns every operation of the store that has content", async () => {
    const store = await openSqliteStore({ file: newFile() });
    const encrypted = createEncryptedStore(store, createKeyRing({ keys: [key], isOn: true }));
    const same = Object.keys(store).filter((name) => Reflect.get(store, name) === Reflect.get(encrypted, name));
    expect(same.filter((name) => !withoutContent.test(name))).toEqual([]);
    await store.close();
  });

  it("leaves nothing of a sensitive value in the files of SQLite and in a backup", async () => {
    const file = newFile();
    const plain = newFile();
    const [store, control] = [await openFile(file), await openSqliteStore({ file: plain })];
    const { id } = await recordCanary(store);
    await recordCanary(control);
    const backup = newFile();
    backUpDatabase({ file, to: backup, onStage() {} });
    const contents = [file, `${file}-wal`, backup].map((path) => (existsSync(path) ? readFileSync(path) : null));
    expect(contents.map((bytes) => bytes && findIn(bytes))).toEqual([[], [], []]);
    expect(findIn(readFileSync(`${plain}-wal`))).toContain(canary);
    await Promise.all([store.close(), control.close()]);
    // The backup has everything, for a service with the key.
    const restored = await openFile(backup);
    expect(await restored.getRun(id)).toMatchObject({ payload: content, error: { message: `no such ${canary}` } });
    await restored.close();
  });

  describe("in Postgres", () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres();
    }, 300_000);
    afterAll(() => server.stop());

    it("leaves nothing of a sensitive value in any table, and returns it unchanged", async () => {
      const url = await server.createDatabase();
      const open = async (keys: readonly Uint8Array[], isOn = true) =>
        openEncryptedStore({ store: await openPostgresStore({ url }), keys, isOn, clock: systemClock });
      const store = await open([key]);
      const recorded = await recordCanary(store);
      await expectRecorded(store, recorded);
      await store.close();
      const text = await readTables(url);
      expect(text).toContain(recorded.id);
      expect(findIn(Buffer.from(text))).toEqual([]);
      await expect(open([], false)).rejects.toMatchObject({ code: "store_unusable" });
      const rotated = await open([formerKey, key]);
      await expectRecorded(rotated, recorded);
      expect((await rotated.listUsedContentKeys()).map((used) => [used.id, used.retiredAt === null])).toEqual([
        [contentKeyId(key), false],
        [contentKeyId(formerKey), true],
      ]);
      await rotated.close();
    }, 120_000);
  });

  it("is read unchanged after a rotation, and after it was disabled", async () => {
    const file = newFile();
    const first = await openFile(file, [formerKey]);
    const recorded = await recordCanary(first);
    await first.close();
    for (const [keys, isOn] of [
      [[key, formerKey], true],
      [[key, formerKey], false],
    ] as const) {
      const store = await openFile(file, keys, isOn);
      await expectRecorded(store, recorded);
      await store.close();
    }
  });

  it("does not open without a key that the content needs, and says which", async () => {
    const file = newFile();
    const store = await openFile(file, [formerKey]);
    await recordCanary(store);
    await store.close();
    const missing = contentKeyId(formerKey);
    await expect(openFile(file, [key])).rejects.toMatchObject({
      code: "store_unusable",
      message: `The store has content that the key ${missing} encrypted, but only ${contentKeyId(key)} is configured. Add it to SIGNALBOX_ENCRYPTION_KEYS.`,
      fix: expect.stringContaining("cannot be read"),
    });
    await expect(openFile(file, [], false)).rejects.toThrow("but no key is configured");
    // Nothing was changed by the attempts.
    await (await openFile(file, [formerKey])).close();
  });

  it("forgets a key whose content was removed", async () => {
    const file = newFile();
    await (await openFile(file, [formerKey])).close();
    const store = await openFile(file, [key]);
    expect((await store.listUsedContentKeys()).map(({ id }) => id)).toEqual([contentKeyId(key)]);
    await store.close();
  });

  it("costs a store without keys nothing: it is the store itself", async () => {
    const store = await openSqliteStore({ file: newFile() });
    expect(await openEncryptedStore({ store, keys: [], isOn: false, clock: systemClock })).toBe(store);
    expect(await store.listUsedContentKeys()).toEqual([]);
    await store.close();
  });

  type Keys = [keys: readonly Uint8Array[], isOn: boolean];
  it.each<[string, Keys, Keys]>([
    ["before it was enabled", [[], false], [[key], true]],
    ["before a rotation", [[formerKey], true], [[key, formerKey], true]],
    ["before it was disabled", [[key], true], [[key], false]],
  ])("recognises repeats of events that were accepted %s", async (_, before, after) => {
    const file = newFile();
    const first = await openFile(file, ...before);
    const delivery = aDelivery();
    const idempotency = { key: "2".repeat(64), notBefore: 0 };
    const start = { id: "3".repeat(64), bodySha256: "4".repeat(64), now: epoch };
    const runs = [aRun({ deliveryId: delivery.id })];
    await first.acceptDelivery({ delivery, runs, idempotency });
    await first.createRunsOnce([aRun()], start);
    await first.close();

    const store = await openFile(file, ...after);
    const repeat = aDelivery({ body: delivery.body });
    expect(await store.acceptDelivery({ delivery: repeat, runs: [], idempotency })).toMatchObject({
      kind: "repeated",
      deliveryId: delivery.id,
      runs: [{ runId: runs[0]?.id }],
    });
    const other = aDelivery({ body: Buffer.from("{}") });
    expect(await store.acceptDelivery({ delivery: other, runs: [], idempotency })).toEqual({
      kind: "conflict",
      deliveryId: delivery.id,
    });
    expect(await store.createRunsOnce([aRun()], start)).toHaveLength(1);
    const conflict = store.createRunsOnce([aRun()], { ...start, bodySha256: "5".repeat(64) });
    await expect(conflict).rejects.toMatchObject({ code: "idempotency_conflict" });
    await store.close();
  });

  it("continues a run whose step began under another key, in the same row", async () => {
    const file = newFile();
    const first = await openFile(file, [], false);
    await first.createRuns([aRun()]);
    const { id, token } = await claimOne(first);
    const sleep = {
      name: "grace",
      kind: "sleep",
      attempt: 1,
      startedAt: epoch,
      until: epoch + 9,
      result: null,
      sequence: null,
    } as const;
    await first.writeProgress({
      runId: id,
      token,
      now: epoch,
      entries: [],
      steps: [{ ...sleep, finishedAt: null }],
      transition: { to: "waiting", reason: "sleep", availableAt: epoch + 9 },
    });
    await first.close();
    const store = await openFile(file);
    const again = await claimOne(store, { now: epoch + 10 });
    expect(await store.loadSteps(id)).toMatchObject([{ name: "grace", finishedAt: null }]);
    const next = {
      ...sleep,
      name: "send",
      kind: "step",
      until: null,
      result: content,
      finishedAt: epoch + 10,
    } as const;
    await store.writeProgress({
      runId: id,
      token: again.token,
      now: epoch + 10,
      entries: [],
      steps: [{ ...sleep, finishedAt: epoch + 10 }, next],
      transition: { to: "completed", output: null },
    });
    expect((await store.loadSteps(id)).map(({ name, finishedAt }) => [name, finishedAt])).toEqual([
      ["grace", epoch + 10],
      ["send", epoch + 10],
    ]);
    for (const name of ["grace", "send"])
      expect(await store.listSteps(id, { name, after: 0, limit: 5 })).toMatchObject([{ name }]);
    await store.close();
  });
});

async function expectRecorded(
  store: Store,
  { delivery, id, done, live, decision, error, alert, waiting, family }: Awaited<ReturnType<typeof recordCanary>>,
) {
  await expectWaits(store, waiting);
  await expectFamily(store, family);
  const { open } = await store.readAlertState({ endedSince: 0, messagesSince: 0 });
  expect(open).toMatchObject([{ id: alert.id, detail: alert.detail }]);
  expect((await store.listAlerts({}, { limit: 5, cursor: null })).data).toMatchObject([{ detail: alert.detail }]);
  expect(await store.takeMessages({ now: Date.now(), leaseMs: 0, limit: 5 })).toMatchObject([
    { alert: { detail: alert.detail } },
  ]);
  const stored = await store.getDelivery(delivery.id);
  expect(stored).toMatchObject({
    outcome: "accepted",
    headers: { ...delivery.headers, "signalbox-released-at": "2026-01-01T00:00:00.001Z" },
    body: body.toString("base64"),
    json: { name: canary, at: 1 },
    bodySha256: delivery.bodySha256,
    problem: delivery.problem,
    verdicts: [{ outcome: "matched", reasons: delivery.verdicts[0]?.reasons }],
  });
  expect(stored?.headers).not.toHaveProperty("signalbox-encrypted");
  expect((await store.getDeliveryBodies([delivery.id])).get(delivery.id)).toEqual(body);
  expect(live).toMatchObject({ step: `say ${canary}`, said: content });
  expect(await store.getRun(id)).toMatchObject({ payload: content, input: content, output: null, error });
  expect(await store.getRun(done)).toMatchObject({ payload: null, input: content, output: content });
  expect(await store.listTimeline(id, { after: 0, limit: 100 })).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: "log", message: canary, data: content }),
      expect.objectContaining({ kind: "step_completed", name: `greet ${canary}` }),
      expect.objectContaining({ kind: "approval_requested", data: expect.objectContaining({ input: content }) }),
      expect.objectContaining({ kind: "approval_decided", data: decision }),
      expect.objectContaining({ kind: "failed", error }),
    ]),
  );
  expect(await store.loadSteps(id)).toMatchObject([
    { name: `greet ${canary}`, result: content },
    { name: "approve 1 mail", result: { request: { input: content }, decision } },
  ]);
  for (const text of ["0815-lovelace", '"at": 1.0'])
    expect((await store.listDeliveries({ text, endpoint: "signup" }, { limit: 5, cursor: null })).data).toMatchObject([
      { id: delivery.id },
    ]);
  expect((await store.listRuns({ text: "0815" }, { limit: 5, cursor: null })).data.map((run) => run.id).sort()).toEqual(
    [id, done, ...family.ids].sort(),
  );
  const { entries } = await store.readFeed({ after: { number: 0, deliveryId: null }, endpoints: ["signup"] });
  expect(entries).toMatchObject([{ delivery: { id: delivery.id, bodySha256: delivery.bodySha256 }, body }]);
  const failure = { id, error: `MailError: ${error.message}` };
  expect(await store.listFailures({ since: 0, sinceOf: new Map() })).toMatchObject([{ count: 1, runs: [failure] }]);
  const [summary] = await store.summarizeTargets({ targets: [agent], since: 0 });
  const shown = { id, error: { name: error.name, message: error.message } };
  expect([summary?.lastRun, (await store.findRuns([id]))[0]]).toMatchObject([shown, shown]);
  expect(await store.searchIds({ text: id, limit: 1 })).toMatchObject({ runs: [shown] });
  expect((await store.listRuns({ status: "failed" }, { limit: 5, cursor: null })).data[0]?.error).toEqual({
    name: error.name,
    message: error.message,
  });
}

/** Every row of every table, with the schemas of the queue. */
async function readTables(url: string): Promise<string> {
  const client = new Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
    );
    const parts: string[] = [];
    for (const { name } of rows) {
      const { rows: lines } = await client.query<{ line: string }>(`SELECT t::text AS line FROM ${name} t`);
      parts.push(...lines.map(({ line }) => line));
    }
    return parts.join("\n");
  } finally {
    await client.end();
  }
}
