import { defineConfig, type ProjectConfig } from "signalbox/config";
import type { ProjectSettings } from "../../server/contract/project/settings.ts";
import { type Equal, expectTrue } from "../testing/exact-type.ts";

// What users may write is what the server reads. (Zod says `?: T | undefined` where the interface says `?: T`: the same to this compiler.)
expectTrue<
  Equal<{ [K in keyof ProjectConfig]: ProjectConfig[K] }, { [K in keyof ProjectSettings]: ProjectSettings[K] }>
>();

defineConfig({});
defineConfig({ name: "Billing", port: 4000, workers: 2, databaseUrl: "file:./data/hooks.db" });
// @ts-expect-error there is no such setting
defineConfig({ prot: 4000 });
// @ts-expect-error a port is a number
defineConfig({ port: "4000" });
