import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { readSettings } from "../config.ts";
import { silentLogger } from "../ports/logger.ts";
import { aDelivery } from "../store/testing/factories.ts";
import { openConfiguredStore } from "./open-configured-store.ts";

it("a store whose content is to be encrypted opens only with a key, and later only with that key", async () => {
  const projectDir = mkdtempSync(join(tmpdir(), "signalbox-configured-"));
  onTestFinished(() => rmSync(projectDir, { recursive: true }));
  const open = (SIGNALBOX_ENCRYPTION_KEYS?: string, encryption = true) => {
    const env = { SIGNALBOX_ENCRYPTION_KEYS };
    const settings = readSettings({ projectDir, mode: "deployed", fromProject: { encryption }, env });
    return openConfiguredStore(settings, silentLogger);
  };
  const [key, wrongKey] = [1, 2].map(() => randomBytes(32).toString("base64"));
  await expect(open()).rejects.toMatchObject({
    name: "SettingsError",
    message: expect.stringMatching(/encryption is on, but there is no key.*openssl rand -base64 32/),
  });
  const store = await open(key);
  const delivery = aDelivery();
  await store.recordDelivery(delivery);
  expect(await store.getDelivery(delivery.id)).toMatchObject({ headers: delivery.headers });
  await store.close();
  await expect(open(wrongKey)).rejects.toMatchObject({ code: "store_unusable" });
  await expect(open(undefined, false)).rejects.toThrow("but no key is configured");
});

/** A project whose service has run, unless it is new. */
async function prepare({ isNew = false } = {}) {
  const projectDir = mkdtempSync(join(tmpdir(), "signalbox-configured-"));
  onTestFinished(() => rmSync(projectDir, { recursive: true }));
  const open = async (mode: "deployed" | "development" = "deployed", env: NodeJS.ProcessEnv = {}) => {
    const store = await openConfiguredStore(readSettings({ projectDir, mode, fromProject: {}, env }), silentLogger);
    await store.close();
    return "opened";
  };
  const state = join(projectDir, ".signalbox");
  if (!isNew) await open();
  return { open, file: join(state, "signalbox.db"), note: join(state, "store") };
}

describe("the store of a deployed project", () => {
  it("is created by the first start, and opened by the next one", async () => {
    const { open } = await prepare({ isNew: true });
    expect([await open(), await open()]).toEqual(["opened", "opened"]);
  });

  it("does not become a new one if its file is missing, until a person confirms it", async () => {
    const { open, file, note } = await prepare();
    rmSync(file);
    const missing = {
      code: "store_unusable",
      message: `The store ${file} does not exist, but this project had one before.`,
    };
    await expect(open()).rejects.toMatchObject(missing);
    await expect(open()).rejects.toMatchObject(missing);
    rmSync(note);
    expect(await open()).toBe("opened");
  });

  it("does not become a new one if the file has 0 bytes, also in a new project", async () => {
    const { open, file } = await prepare();
    truncateSync(file);
    await expect(open()).rejects.toMatchObject({
      code: "store_unusable",
      message: `The store ${file} is empty: it has no tables.`,
    });
    const { open: openNew, file: empty } = await prepare();
    rmSync(empty);
    writeFileSync(empty, "");
    await expect(openNew()).rejects.toMatchObject({ code: "store_unusable" });
  });

  it("does not become a new one if the log was removed that had all of it", async () => {
    const { open, file } = await prepare();
    rmSync(file);
    const young = new Database(file);
    young.pragma("journal_mode = WAL");
    young.close();
    await expect(open()).rejects.toMatchObject({ code: "store_unusable" });
  });

  it("does not become a new one at another path", async () => {
    const { open, file } = await prepare();
    await expect(open("deployed", { SIGNALBOX_DATABASE_URL: "file:./volume/hooks.db" })).rejects.toThrow(
      `hooks.db does not exist, but this project had one before: ${file}.`,
    );
  });

  it("can be removed in development, which needs no keys", async () => {
    const { open, file } = await prepare();
    rmSync(file);
    expect([await open("development"), await open()]).toEqual(["opened", "opened"]);
  });
});
