import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Store } from "../../../ports/store.ts";
import { aDelivery, aRun, epoch } from "../../testing/factories.ts";
import { backUpDatabase } from "./backup-database.ts";
import { openSqliteStore } from "../open-store.ts";
import { restoreDatabase } from "./restore-database.ts";

let folder: string;
let file: string;
let to: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-backup-"));
  [file, to] = [join(folder, "store.db"), join(folder, "copy.db")];
  store = await openSqliteStore({ file });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const backUp = (given: Partial<Parameters<typeof backUpDatabase>[0]> = {}) =>
  backUpDatabase({ file, to, onStage() {}, ...given });
const restore = (from = to) => restoreDatabase({ from, file, now: epoch });

async function accept(): Promise<string> {
  const delivery = aDelivery();
  await store.acceptDelivery({ delivery, runs: [aRun({ deliveryId: delivery.id })], idempotency: null });
  return delivery.id;
}

it("a backup of a store in use has every delivery accepted before it, is readable only by its owner, and can be restored", async () => {
  const before = await Promise.all(Array.from({ length: 50 }, accept));
  expect(backUp()).toMatchObject({ deliveries: 50, runs: 50, openRuns: 50 });
  const later = await accept();
  expect(statSync(to).mode & 0o777).toBe(0o600);
  await store.close();
  const { keptAs } = restore();
  expect(keptAs).toBe(`${file}.before-restore-20260101T000000Z`);
  store = await openSqliteStore({ file });
  for (const id of before) expect(await store.getDelivery(id)).not.toBeNull();
  expect(await store.getDelivery(later)).toBeNull();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const old = await openSqliteStore({ file: String(keptAs) });
  expect(await old.getDelivery(later)).not.toBeNull();
  await old.close();
});

it("a restored store can release free space, even if the original could not", async () => {
  backUp();
  const copy = new Database(to);
  expect(copy.pragma("auto_vacuum", { simple: true })).toBe(2);
  copy.close();
});

it("a backup overwrites nothing, and leaves no partial file", () => {
  writeFileSync(to, "mine");
  expect(() => backUp()).toThrow(/already exists/);
  // Another process creates the file meanwhile.
  const other = join(folder, "other.db");
  expect(() =>
    backUp({ to: other, onStage: (stage) => stage === "checking" && writeFileSync(other, "theirs") }),
  ).toThrow(/already exists/);
  expect([to, other].map((path) => readFileSync(path, "utf8"))).toEqual(["mine", "theirs"]);
  expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
});

function damage(path: string): void {
  writeFileSync(path, readFileSync(path).fill(7, 4096 * 4, 4096 * 20));
}

it("a copy that is damaged before the check is not reported as complete", async () => {
  await Promise.all(Array.from({ length: 50 }, accept));
  expect(() => backUp({ onStage: (stage) => stage === "checking" && damage(`${to}.partial-${process.pid}`) })).toThrow(
    /copy.*(damaged|cannot be used)/i,
  );
  expect(readdirSync(folder).filter((name) => name.startsWith("copy"))).toEqual([]);
});

it.each([
  ["no file", () => {}, /does not exist/],
  ["no database", () => writeFileSync(to, "x".repeat(5000)), /not a SQLite database/],
  ["another database", () => new Database(to).exec("CREATE TABLE a (b)").close(), /not a Signalbox store/],
  [
    "a newer version's",
    () => (backUp(), new Database(to).exec("INSERT INTO schema_migration VALUES (999, '0999_new', 0)").close()),
    /newer Signalbox/,
  ],
  [
    "a copy with its log",
    () => (copyFileSync(file, to), copyFileSync(`${file}-wal`, `${to}-wal`)),
    expect.objectContaining({
      message: expect.stringMatching(/copied from a store in use/),
      fix: expect.stringMatching(/signalbox backup/),
    }),
  ],
  ["a cut copy", () => (backUp(), writeFileSync(to, readFileSync(to).subarray(0, 30_000))), /damaged|cannot be used/],
])("%s is not restored, and the store is unchanged", async (_, prepare, message) => {
  const id = await accept();
  prepare();
  expect(() => restore()).toThrow(message);
  expect(await store.getDelivery(id)).not.toBeNull();
  await store.close();
  expect(readdirSync(folder).filter((name) => /restore/.test(name))).toEqual([]);
  store = await openSqliteStore({ file });
  expect(await store.getDelivery(id)).not.toBeNull();
});

it("a store in use is not replaced, regardless of the process that uses it", async () => {
  backUp();
  const id = await accept();
  expect(() => restore()).toThrow(/in use by another process/);
  expect(await store.getDelivery(id)).not.toBeNull();
});

it("a store that cannot be opened is replaced, and kept with its log", async () => {
  const id = await accept();
  backUp();
  await store.close();
  writeFileSync(file, "not a database at all".repeat(500));
  writeFileSync(`${file}-wal`, "x".repeat(5000));
  chmodSync(file, 0o600);
  const { keptAs } = restore();
  expect(readdirSync(folder)).toEqual(expect.arrayContaining([`${String(keptAs).slice(folder.length + 1)}-wal`]));
  store = await openSqliteStore({ file });
  expect(await store.getDelivery(id)).not.toBeNull();
});
