import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readSettings } from "../server/config.ts";
import { readAlertRules } from "../server/contract/project/settings.ts";
import { configurationMarkdown, configurationPage } from "./write-configuration.ts";

const page = readFileSync(configurationPage, "utf8");
/** The cells of the row whose first cell is this name. */
const rowOf = (name: string): string[] =>
  page
    .split("\n")
    .find((line) => line.startsWith(`| \`${name}\` |`))
    ?.split(/ ?\| ?/)
    .slice(1) ?? [];

it("docs/configuration.md is up to date (if not, run node scripts/write-configuration.ts)", () => {
  expect(page).toBe(configurationMarkdown());
});

it("has the defaults that the service uses", () => {
  const given = { projectDir: "/srv/hooks", fromProject: {}, env: {} };
  const development = readSettings({ ...given, mode: "development" });
  const deployed = readSettings({ ...given, mode: "deployed" });
  const defaults = {
    port: `${development.port} in development, ${deployed.port} deployed`,
    host: `\`${development.host}\` in development, every address deployed`,
    maxBodyBytes: `${deployed.maxBodyBytes / 1024 ** 2} MiB`,
    "limits.connections": deployed.limits.connections.toLocaleString("en"),
    workers: `${deployed.workers}`,
    workerConcurrency: `${deployed.workerConcurrency}`,
    workerMemoryMb: `${deployed.workerMemoryMb}`,
    drainSeconds: `${deployed.drainMs / 1_000}`,
    retentionDays: `${deployed.retention.days ?? 0}`,
    retentionDeliveries: `${deployed.retention.deliveries ?? 0}`,
    auditRetentionDays: `${deployed.retention.auditDays ?? 0}`,
  };
  expect(deployed.host).toBe("0.0.0.0");
  expect(deployed.database).toEqual({ kind: "sqlite", file: "/srv/hooks/.signalbox/signalbox.db" });
  expect(Object.fromEntries(Object.keys(defaults).map((name) => [name, rowOf(name)[3]]))).toEqual(defaults);
  expect(rowOf("databaseUrl")[3]).toBe("`file:./.signalbox/signalbox.db`");
});

const hours = (ms: number) => (ms % 86_400_000 === 0 ? `${ms / 86_400_000}d` : `${ms / 3_600_000}h`);

it("has the defaults of alerts", () => {
  const rules = readAlertRules({});
  expect(rowOf("alerts.runFailed")[3]).toBe(`\`{ quietFor: "${hours(rules.runFailed?.quietMs ?? 0)}" }\``);
  expect(rowOf("alerts.approvalPending")[3]).toBe(`\`{ after: "${hours(rules.approvalPending?.afterMs ?? 0)}" }\``);
  expect(rowOf("alerts.keyExpiring")[3]).toBe(`\`{ before: "${hours(rules.keyExpiring?.beforeMs ?? 0)}" }\``);
  expect(rowOf("alerts.storeUnavailable")[3]).toBe(
    `\`{ after: "${(rules.storeUnavailable?.afterMs ?? 0) / 60_000}m" }\``,
  );
  expect(rowOf("alerts.queueFull")[3]).toBe(`\`${rules.queueFull}\``);
  const { share = 0, atLeast = 0, withinMs = 0 } = rules.mismatches ?? {};
  expect(rowOf("alerts.mismatches")[3]).toBe(
    `\`{ share: ${share}, atLeast: ${atLeast}, within: "${hours(withinMs)}" }\``,
  );
});

it("has each option that sets a setting", () => {
  expect(rowOf("port")[1]).toBe("`PORT`, `--port`");
});
