import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readSettings } from "../config.ts";
import { silentLogger } from "../ports/logger.ts";
import { aDelivery } from "../store/testing/factories.ts";
import { openConfiguredStore } from "./open-configured-store.ts";

it("a store whose content is to be encrypted opens only with a key, and later only with that key", async () => {
  const projectDir = mkdtempSync(join(tmpdir(), "signalbox-configured-"));
  onTestFinished(() => rmSync(projectDir, { recursive: true }));
  const open = (SIGNALBOX_ENCRYPTION_KEYS?: string, encryptSensitive = true) => {
    const env = { SIGNALBOX_ENCRYPTION_KEYS };
    const settings = readSettings({ projectDir, mode: "deployed", fromProject: { encryptSensitive }, env });
    return openConfiguredStore(settings, silentLogger);
  };
  const [key, wrongKey] = [1, 2].map(() => randomBytes(32).toString("base64"));
  await expect(open()).rejects.toMatchObject({
    name: "SettingsError",
    message: expect.stringMatching(/encryptSensitive is on, but there is no key.*openssl rand -base64 32/),
  });
  const store = await open(key);
  const delivery = aDelivery();
  await store.recordDelivery(delivery);
  expect(await store.getDelivery(delivery.id)).toMatchObject({ headers: delivery.headers });
  await store.close();
  await expect(open(wrongKey)).rejects.toMatchObject({ code: "store_unusable" });
  await expect(open(undefined, false)).rejects.toThrow("but no key is configured");
});
