import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKeyCipher } from "../../../server/auth/keys/service-secret.ts";
import type { UsedContentKey } from "../../../server/domain/encryption/content-keys.ts";
import { contentKeyId } from "../../../server/domain/encryption/key-ring.ts";
import type { PostgresFacts } from "../../../server/store/postgres/inspect-database.ts";
import { inspectDatabase } from "../../../server/store/sqlite/file/inspect-database.ts";
import { openSqliteStore } from "../../../server/store/sqlite/open-store.ts";
import { aDelivery, aKey, aRun } from "../../../server/store/testing/factories.ts";
import { runFakeCli } from "../testing/fake-host.ts";
import { type AccessContext, checkAccess } from "./check-access.ts";
import { checkEncryption } from "./check-encryption.ts";
import { checkAddress, checkSpace } from "./check-machine.ts";
import { checkPostgres } from "./check-postgres.ts";
import { checkSqlite } from "./check-sqlite.ts";

const now = Date.parse("2026-11-21T10:00:00Z");
const day = 86_400_000;
const key = {
  id: "key_1",
  name: "a",
  kind: "webhook",
  endpoints: null,
  ciphertext: null,
  expiresAt: null,
  revokedAt: null,
  replacedBy: null,
};
const worker = {
  pool: "shared",
  isResponsive: true,
  freeSlots: 2,
  version: "v1",
  startedAt: now,
  seenAt: now,
} as const;
const due = { pool: "shared", version: null, runs: 2, oldestAt: now - 60_000 } as const;
const contents: AccessContext["contents"] = {
  newestDeliveryAt: now,
  workers: [worker],
  due: [],
  openRuns: [{ version: "v1", target: "workflow:ship", runs: 3 }],
  keys: [key],
  disabledTriggers: [],
  contentKeys: [],
  oldestAt: now,
  clockWatch: { seenAt: now, trustedAt: now, waitingSince: null },
  people: 1,
  admins: 1,
};
const access: AccessContext = {
  contents,
  now,
  triggers: [{ slug: "new-signup", endpoint: "signup" }],
  mode: "deployed",
  needsKeys: true,
  isRunning: true,
  keptVersions: ["v1"],
  latestTargets: new Set(["workflow:latest"]),
  openKey: () => "sbk_x",
};
const found = (checks: { name: string; state: string }[]) =>
  checks.filter(({ state }) => state !== "ok").map(({ name, state }) => `${name} ${state}`);
const check = ({
  contents: some,
  ...given
}: Partial<Omit<AccessContext, "contents">> & { contents?: Partial<AccessContext["contents"]> } = {}) =>
  found(checkAccess({ ...access, ...given, contents: { ...contents, ...some } }));

it("reports nothing for a healthy service", () => expect(check()).toEqual([]));

it("reports that nothing is removed after a jump of the clock, but not in the first day of a service", () => {
  const jumped = { seenAt: now, trustedAt: now - 40 * day, waitingSince: now };
  expect(check({ contents: { clockWatch: jumped } })).toEqual(["retention warn"]);
  expect(check({ contents: { clockWatch: { ...jumped, trustedAt: null } } })).toEqual([]);
  expect(check({ contents: { clockWatch: null } })).toEqual([]);
});

it.each<[string, Parameters<typeof check>[0], string[]]>([
  ["a delivery from the future", { contents: { newestDeliveryAt: now + day } }, ["history bad"]],
  ["no key yet", { contents: { keys: [] } }, ["keys warn"]],
  ["no key in development", { mode: "development", needsKeys: false, contents: { keys: [] } }, []],
  [
    "no key in development that other machines can reach",
    { mode: "development", needsKeys: true, contents: { keys: [], people: 0, admins: 0 } },
    ["keys warn"],
  ],
  [
    "only revoked and expired keys",
    {
      contents: {
        keys: [
          { ...key, expiresAt: now - 1 },
          { ...key, revokedAt: 1 },
        ],
      },
    },
    ["keys bad"],
  ],
  ["an endpoint without a valid key", { contents: { keys: [{ ...key, endpoints: ["other"] }] } }, ["keys bad"]],
  ["a key that expires soon", { contents: { keys: [{ ...key, expiresAt: now + 13 * day }] } }, ["keys warn"]],
  [
    "a key that expires soon and was already replaced",
    { contents: { keys: [key, { ...key, expiresAt: now + 13 * day, replacedBy: "key_2" }] } },
    [],
  ],
  ["a key that expires later", { contents: { keys: [{ ...key, expiresAt: now + 15 * day }] } }, []],
  ["a missing secret", { openKey: null, contents: { keys: [{ ...key, ciphertext: "v1.x" }] } }, ["secret bad"]],
  [
    "another secret",
    {
      openKey: createKeyCipher("another secret of some length").open,
      contents: { keys: [{ ...key, ciphertext: createKeyCipher("the secret that was before").seal("k") }] },
    },
    ["secret bad"],
  ],
  ["a disabled trigger", { contents: { disabledTriggers: ["new-signup"] } }, ["triggers warn"]],
  ["a disabled trigger that was removed", { contents: { disabledTriggers: ["gone"] } }, []],
  ["people without an admin", { contents: { admins: 0 } }, ["people bad"]],
  ["no accounts", { contents: { people: 0, admins: 0 } }, ["people warn"]],
  ["a service without workers", { contents: { workers: [{ ...worker, seenAt: now - 60_000 }] } }, ["workers bad"]],
  ["due runs that a worker takes", { contents: { due: [due] } }, []],
  ["due runs without a worker", { contents: { workers: [], due: [due] } }, ["workers bad", "due runs bad"]],
  ["due runs while the service is stopped", { isRunning: false, contents: { workers: [], due: [due] } }, []],
  [
    "due runs whose workers are blocked by code",
    { contents: { workers: [{ ...worker, isResponsive: false }], due: [due] } },
    ["due runs bad"],
  ],
  [
    "due runs while all slots are taken",
    { contents: { workers: [{ ...worker, freeSlots: 0 }], due: [due] } },
    ["due runs warn"],
  ],
  [
    "open runs whose build no machine has, by build",
    {
      contents: {
        openRuns: [
          { version: "v0", target: "workflow:ship", runs: 90 },
          { version: "v0", target: "workflow:bill", runs: 1 },
          { version: "v00", target: "workflow:ship", runs: 1 },
        ],
      },
    },
    ["builds warn", "builds warn"],
  ],
  [
    "open runs of builds that a worker of another machine has, or that follow the latest build",
    {
      keptVersions: [],
      contents: {
        workers: [{ ...worker, keptVersions: ["v0"] }],
        openRuns: [
          { version: "v0", target: "workflow:ship", runs: 90 },
          { version: "v1", target: "workflow:ship", runs: 1 },
          { version: "v00", target: "workflow:latest", runs: 1 },
        ],
      },
    },
    [],
  ],
])("reports %s", (_, given, expected) => expect(check(given)).toEqual(expected));

it("reports a full disk, and addresses that expose keys", () => {
  expect([10, 100_000_000, 10e9].map((room) => checkSpace(room).state)).toEqual(["bad", "warn", "ok"]);
  const states = [null, "http://hooks.example.com", "https://hooks.example.com", "http://localhost:3000"].map(
    (baseUrl) => checkAddress({ baseUrl, host: "0.0.0.0", trustProxy: [], mode: "deployed" })[0]?.state,
  );
  expect(states).toEqual(["warn", "warn", "warn", "ok"]);
  expect(
    found(
      checkAddress({
        host: "0.0.0.0",
        baseUrl: "https://hooks.example.com",
        trustProxy: ["127.0.0.1"],
        mode: "deployed",
      }),
    ),
  ).toEqual([]);
});

it("lists the endpoints of keys", () => {
  const triggers = [
    { slug: "a", endpoint: "a" },
    { slug: "b", endpoint: "b" },
  ];
  const say = (...endpoints: (string[] | null)[]) =>
    checkAccess({
      ...access,
      triggers,
      contents: { ...contents, keys: endpoints.map((of, at) => ({ ...key, id: `key_${at}`, endpoints: of })) },
    }).find(({ name }) => name === "keys")?.message;
  expect(say(null)).toBe("1 webhook key for all endpoints");
  expect(say(null, null)).toBe("2 webhook keys for all endpoints");
  expect(say(["a"], ["b"])).toBe("every endpoint has a key: 2 webhook keys, none for all endpoints");
  expect(say(["a"], null)).toBe("every endpoint has a key: 2 webhook keys, 1 for all endpoints");
});

const sayAddress = (given: { host?: string; baseUrl?: string }) =>
  checkAddress({ host: "127.0.0.1", baseUrl: null, trustProxy: [], mode: "development", ...given })[0]?.message;

it("reports whether other machines can reach development", () => {
  expect(sayAddress({})).toBe("development listens on this machine only");
  expect(sayAddress({ baseUrl: "https://dev.example.com" })).toContain(
    "other machines can reach development at https://dev.example.com",
  );
  expect(sayAddress({ host: "0.0.0.0" })).toContain("other machines can reach development at 0.0.0.0");
});

const postgres: PostgresFacts = {
  name: "postgres://db/hooks",
  user: "hooks",
  server: "17.2",
  databaseBytes: 1e6,
  pendingMigrations: 0,
  mayWrite: true,
  mayMigrate: true,
  isReplica: false,
  fsync: "on",
  fullPageWrites: "on",
  synchronousCommit: "on",
  connections: { most: 97, used: 20, wanted: 42 },
  aheadMs: 20,
  secretFingerprint: "mine",
  queue: {
    silentRuns: 0,
    stuck: [],
    listeners: 2,
  },
  contents,
};
const queue = (given: Partial<NonNullable<PostgresFacts["queue"]>>): Partial<PostgresFacts> => ({
  queue: postgres.queue && { ...postgres.queue, ...given },
});

it.each<[string, Partial<PostgresFacts> & { own?: string | null; hasRetention?: boolean }, string[]]>([
  ["nothing for a healthy server", {}, []],
  ["fsync off", { fsync: "off" }, ["disk bad"]],
  ["synchronous_commit off", { synchronousCommit: "off" }, ["disk warn"]],
  ["synchronous_commit local", { synchronousCommit: "local" }, []],
  ["full_page_writes off", { fullPageWrites: "off" }, ["disk warn"]],
  ["pending migrations", { pendingMigrations: 1 }, ["schema warn"]],
  ["a user without write privileges", { mayWrite: false, mayMigrate: false }, ["rights bad"]],
  ["a user that serves, and may not migrate", { mayMigrate: false }, []],
  [
    "a user that may not apply the pending migrations",
    { mayMigrate: false, pendingMigrations: 1 },
    ["schema warn", "rights bad"],
  ],
  ["a replica", { isReplica: true, mayWrite: false }, ["rights bad"]],
  ["too few connections", { connections: { most: 97, used: 20, wanted: 98 } }, ["connections bad"]],
  ["almost no free connections", { connections: { most: 97, used: 90, wanted: 42 } }, ["connections warn"]],
  ["clocks that differ", { aheadMs: -700 }, ["clock warn"]],
  ["another secret", { own: "other" }, ["machines bad"]],
  ["a missing secret on this machine", { own: null }, ["machines bad"]],
  ["runs of a lost machine", queue({ silentRuns: 1 }), ["queue warn"]],
  [
    "a version without workers",
    queue({ stuck: [{ version: "v1", pool: "shared", target: null, runs: 3, oldestSeconds: 400 }] }),
    ["queue warn"],
  ],
  ["missing listeners", queue({ listeners: 0 }), ["listeners warn"]],
  ["a new store", { secretFingerprint: null, own: null }, []],
  ["a large store without retention", { databaseBytes: 2e9, hasRetention: false }, ["retention warn"]],
])("on Postgres, reports %s", (_, { own = "mine", hasRetention = true, ...given }, expected) => {
  expect(found(checkPostgres({ ...postgres, ...given }, { fingerprint: own, hasRetention }))).toEqual(expected);
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-doctor-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("inspects an open and a closed store, and reports damage, old versions, a long log and a growing file", async () => {
  const file = join(folder, "ledger.db");
  expect(inspectDatabase(file)).toBeNull();
  const store = await openSqliteStore({ file });
  await store.recordDelivery(aDelivery({ receivedAt: now }));
  await store.createKey(aKey({ endpoints: ["signup"] }));
  await store.createRuns([aRun({ version: "v1" }), aRun({ version: "v2" }), aRun({ version: "v2" })]);
  const facts = inspectDatabase(file);
  if (!facts) throw new Error("the store does not exist");
  expect(facts).toMatchObject({
    damage: null,
    listDamage: null,
    pendingMigrations: 0,
    journalMode: "wal",
    canShrink: true,
    contents: { newestDeliveryAt: now, keys: [{ endpoints: ["signup"] }] },
  });
  expect(facts.contents?.openRuns).toEqual([
    { version: "v1", target: "workflow:welcome-email", runs: 1 },
    { version: "v2", target: "workflow:welcome-email", runs: 2 },
  ]);
  await store.close();
  expect(inspectDatabase(file)).toMatchObject({ damage: null, contents: { newestDeliveryAt: now } });
  const states = (given: object, hasRetention = true, maxBytes: number | null = null) =>
    found(checkSqlite({ ...facts, ...given }, { file, hasRetention, maxBytes }));
  expect(states({})).toEqual([]);
  expect(states({ damage: "page 3" })).toEqual(["store bad"]);
  expect(states({ listDamage: "1 entry of run_list differs from its row" })).toEqual(["lists bad"]);
  expect(states({ pendingMigrations: 1 })).toEqual(["schema warn"]);
  expect(states({ logBytes: 1e9 })).toEqual(["log warn"]);
  expect(states({ lostLogSince: "2026-11-21T10:00:00Z" })).toEqual(["log bad"]);
  expect(states({ fileBytes: 1e9, freeBytes: 5e8, canShrink: false })).toEqual(["free space warn"]);
  expect(states({ fileBytes: 2e9, freeBytes: 0 }, false)).toEqual(["retention warn"]);
  expect(states({ fileBytes: 2e9, freeBytes: 0 }, false, 3e9)).toEqual([]);
});

it("prints each problem with its fix on one line, exits with 1, and changes nothing", async () => {
  const state = join(folder, ".signalbox");
  mkdirSync(join(state, "builds/v"), { recursive: true });
  const manifest = {
    format: 1,
    version: "v",
    builtAt: "2026-11-21T09:00:00Z",
    name: "p",
    folder: "builds/v",
    sources: "s.mjs",
    settings: { baseUrl: "http://localhost:3000" },
    triggers: [],
    workflows: [],
  };
  writeFileSync(join(state, "manifest.json"), JSON.stringify(manifest));
  const unloadable = await runFakeCli(["doctor", "--project", folder]);
  expect(unloadable).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/^✗ build: Cannot load the built project: .* Run `signalbox build`\. → /m),
  });
  writeFileSync(join(state, "builds/v/s.mjs"), "export const triggers = [];");
  const { exitCode, stdout } = await runFakeCli(["doctor", "--project", folder]);
  expect(stdout).toContain("✓ build: version v loads\n");
  expect(stdout).toContain("! store: does not exist yet");
  expect(exitCode).toBe(0);
  writeFileSync(join(state, "store"), join(state, "signalbox.db"));
  const missing = await runFakeCli(["doctor", "--project", folder]);
  expect(missing.stdout).toMatch(/^✗ store: The store .* does not exist, but this project had one before\. → /m);
  rmSync(join(state, "store"));
  writeFileSync(join(state, "signalbox.db"), "no database".repeat(500));
  const text = await runFakeCli(["doctor", "--project", folder]);
  expect(text).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/^✗ store: .*not a SQLite database.* → /m) });
  const json = await runFakeCli(["doctor", "--project", folder, "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({
    ok: false,
    checks: expect.arrayContaining([expect.objectContaining({ name: "store", state: "bad" })]),
  });
  expect(readdirSync(state).sort()).toEqual(["builds", "manifest.json", "signalbox.db"]);
  const unbuilt = await runFakeCli(["doctor", "--project", join(folder, "none")]);
  expect(unbuilt).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/^✗ settings: .*signalbox build/m) });
});

const used = (key: Uint8Array, retiredAt: number | null = null) => ({ id: contentKeyId(key), since: 0, retiredAt });

describe("the keys of encryption", () => {
  const [current, former] = [randomBytes(32), randomBytes(32)];
  it.each<[string, Uint8Array[], boolean, UsedContentKey[], string[]]>([
    ["are not checked if it was never used", [], false, [], []],
    ["are missing", [], true, [], ["encryption bad no key"]],
    ["are right", [current], true, [used(current)], [`encryption ok ${contentKeyId(current)}`]],
    ["are wrong", [current], true, [used(former)], [`encryption bad ${contentKeyId(former)}`]],
    ["are missing for old content", [], false, [used(former, now)], [`encryption bad ${contentKeyId(former)}`]],
    [
      "are still needed after a rotation",
      [current, former],
      true,
      [used(former, now), used(current)],
      [`encryption ok also read with ${contentKeyId(former)}`],
    ],
    [
      "are not needed any more",
      [current, former],
      true,
      [used(former, now - 3 * day), used(current)],
      [`encryption warn ${contentKeyId(former)} encrypted was removed`],
    ],
    ["encrypt nothing", [current], false, [], ["encryption warn nothing is encrypted"]],
  ])("%s", (_, keys, isOn, contentKeys, expected) => {
    const checks = checkEncryption({ keys, isOn }, { contentKeys, oldestAt: now });
    expect(checks).toHaveLength(expected.length);
    for (const [at, { name, state, message }] of checks.entries()) {
      const [wantedName, wantedState, ...words] = (expected[at] ?? "").split(" ");
      expect([name, state]).toEqual([wantedName, wantedState]);
      expect(message).toContain(words.join(" "));
    }
  });
});
