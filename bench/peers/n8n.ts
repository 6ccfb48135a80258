import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../scripts/free-port.ts";
import { cleanEnvironment } from "../service/signalbox-service.ts";
import { peerPackages } from "./install-peer.ts";
import { startPeerProcess, untilAnswers } from "./peer-process.ts";
import type { Peer } from "./peer.ts";

/** A webhook that is answered at once, and a node behind it that sets a field. */
const workflow = {
  id: "benchworkflow001",
  name: "bench",
  active: false,
  settings: { executionOrder: "v1" },
  nodes: [
    {
      id: "in",
      name: "Webhook",
      type: "n8n-nodes-base.webhook",
      typeVersion: 2,
      position: [0, 0],
      webhookId: "bench",
      parameters: {
        httpMethod: "POST",
        path: "bench",
        responseMode: "onReceived",
        options: { responseCode: { values: { responseCode: 202 } } },
      },
    },
    {
      id: "work",
      name: "Work",
      type: "n8n-nodes-base.set",
      typeVersion: 3.4,
      position: [200, 0],
      parameters: {
        assignments: { assignments: [{ id: "ok", name: "ok", type: "boolean", value: true }] },
        options: {},
      },
    },
  ],
  connections: { Webhook: { main: [[{ node: "Work", type: "main", index: 0 }]] } },
};

/** The settings that n8n's documentation recommends for many executions: successful ones are not kept. */
const fastSettings = {
  EXECUTIONS_DATA_SAVE_ON_SUCCESS: "none",
  EXECUTIONS_DATA_SAVE_ON_PROGRESS: "false",
  EXECUTIONS_DATA_SAVE_MANUAL_EXECUTIONS: "false",
};

/** N8n on SQLite, its default, with a webhook that responds immediately. */
export async function startN8n({
  modules,
  folder,
  isFast,
}: {
  modules: string;
  folder: string;
  isFast: boolean;
}): Promise<Peer> {
  mkdirSync(folder, { recursive: true });
  const [port, brokerPort] = await Promise.all([freePort(), freePort()]);
  const env = {
    N8N_USER_FOLDER: folder,
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: "127.0.0.1",
    N8N_RUNNERS_BROKER_PORT: String(brokerPort),
    N8N_DIAGNOSTICS_ENABLED: "false",
    N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
    N8N_TEMPLATES_ENABLED: "false",
    N8N_LOG_LEVEL: "warn",
    ...(isFast ? fastSettings : {}),
  };
  const program = join(modules, "node_modules/n8n/bin/n8n");
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [program, ...args], {
      cwd: folder,
      env: { ...cleanEnvironment(), ...env },
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
    });
  writeFileSync(join(folder, "workflow.json"), JSON.stringify([workflow]));
  run("import:workflow", `--input=${join(folder, "workflow.json")}`);
  run("publish:workflow", `--id=${workflow.id}`);
  const server = startPeerProcess({ program: process.execPath, args: [program, "start"], folder, name: "n8n", env });
  const url = `http://127.0.0.1:${port}/webhook/bench`;
  const ask = async () =>
    (await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" })).status === 202;
  await untilAnswers({ what: "n8n", withinMs: 180_000, ask });
  return {
    name: `n8n ${peerPackages.n8n.n8n}${isFast ? ", executions that went well not kept" : ""}`,
    url,
    expectedStatus: 202,
    durability: isFast ? "keeps failures only" : "SQLite, after its answer",
    countExecuted: null,
    close: server.close,
  };
}
