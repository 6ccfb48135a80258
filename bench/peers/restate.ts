import { fork } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../scripts/free-port.ts";
import { cleanEnvironment } from "../service/signalbox-service.ts";
import { peerPackages } from "./install-peer.ts";
import { startPeerProcess, untilAnswers } from "./peer-process.ts";
import type { Peer } from "./peer.ts";

/**
 * Restate's server with its defaults, and a service of one handler beside it. `/send` answers 202 when the invocation
 * is in its log, which its default (`rocksdb-disable-wal-fsync = false`) has on disk.
 */
export async function startRestate({ modules, folder }: { modules: string; folder: string }): Promise<Peer> {
  mkdirSync(folder, { recursive: true });
  const [servicePort, ingressPort, adminPort, nodePort] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  // Its SDK would log every invocation, which would be most of its work.
  const quiet = { ...cleanEnvironment(), NODE_ENV: "production", RESTATE_LOGGING: "ERROR" };
  const service = fork(join(import.meta.dirname, "../servers/restate-service.ts"), [modules, String(servicePort)], {
    env: quiet,
  });
  const env = {
    RESTATE_LISTEN_MODE: "tcp",
    RESTATE_BIND_IP: "127.0.0.1",
    RESTATE_BIND_PORT: String(nodePort),
    RESTATE_INGRESS__BIND_PORT: String(ingressPort),
    RESTATE_ADMIN__BIND_PORT: String(adminPort),
    RESTATE_DISABLE_TELEMETRY: "true",
    RESTATE_LOG_FILTER: "warn",
  };
  // The program itself: npm's wrapper would leave it running after a signal.
  const program = join(
    modules,
    `node_modules/@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
  );
  const server = startPeerProcess({
    program,
    args: ["--base-dir", join(folder, "restate-data"), "--no-logo"],
    folder,
    name: "restate",
    env,
  });
  const body = JSON.stringify({ uri: `http://127.0.0.1:${servicePort}` });
  const register = async () =>
    (
      await fetch(`http://127.0.0.1:${adminPort}/deployments`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body,
      })
    ).ok;
  await untilAnswers({ what: "Restate", withinMs: 60_000, ask: register });
  return {
    name: `Restate ${peerPackages.restate["@restatedev/restate-server"]}`,
    url: `http://127.0.0.1:${ingressPort}/bench/run/send`,
    expectedStatus: 202,
    durability: "its log is flushed to disk (its default)",
    countExecuted: () => {
      const { promise, resolve } = Promise.withResolvers<number>();
      service.once("message", (count) => resolve(Number(count)));
      service.send("count");
      return promise;
    },
    async close() {
      await server.close();
      service.disconnect();
    },
  };
}
