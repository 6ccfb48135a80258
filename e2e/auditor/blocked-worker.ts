import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createSender, type Ledger } from "./clients.ts";
import { blockedFile, blockingKind } from "./audited-project.ts";
import type { Kill } from "./facts.ts";
import { isAnyResponsive } from "./read-sqlite.ts";
import type { Service } from "./service.ts";

const blockedWithinMs = 120_000;

/**
 * Sends an order whose code blocks the event loop of its worker until the process ends. Resolves when the service has
 * noticed that the worker does not respond, so that it is assigned no other run. Its next execution completes.
 */
export async function blockWorker(p: {
  projectDir: string;
  service: Service;
  key: string;
}): Promise<{ kill: Kill; order: Ledger }> {
  const order: Ledger = { id: "blocking", key: "key-blocking", expected: blockingKind.expected, answers: [] };
  // A run that is recorded without a worker is queued.
  await until(() => isAnyResponsive(p.projectDir));
  const send = createSender({ url: () => p.service.url, key: p.key, onAcknowledged() {} });
  const body = JSON.stringify({ order: order.id, paid: false, ms: 0 });
  await send({ order, kind: blockingKind, body });
  const file = join(p.projectDir, blockedFile);
  await until(() => existsSync(file) && readFileSync(file, "utf8") !== "");
  const at = performance.now();
  await until(() => !isAnyResponsive(p.projectDir));
  const pid = Number(readFileSync(file, "utf8"));
  return { kill: { at, kind: "block", generation: p.service.generation, pid }, order };
}

async function until(isSo: () => boolean): Promise<void> {
  for (const giveUpAt = performance.now() + blockedWithinMs; !isSo();) {
    if (performance.now() > giveUpAt) throw new Error(`No worker was blocked within ${blockedWithinMs / 1000} s.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
