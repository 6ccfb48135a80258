import { rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { smallBody } from "../load/bodies.ts";
import type { Load } from "../load/run-load.ts";
import type { Peer } from "../peers/peer.ts";
import { startRestate } from "../peers/restate.ts";
import { endpoints } from "../service/bench-project.ts";
import { cpuMsOf, untilAtRest } from "../service/process-tree.ts";
import { startSignalbox } from "../service/signalbox-service.ts";
import { startServer } from "../service/start-server.ts";
import { openSqliteReader, storeFileOf } from "../service/store-reader.ts";
import type { Bench } from "./bench.ts";
import { type ExecuteTurn, executeTurn } from "./execute-turn.ts";

export const connections = 50;

/** The duration or the number of requests. */
type Amount = Pick<Load, "ms" | "count">;

/**
 * Sides that execute what they accept: Signalbox with one worker, the bare reference, and Restate if peers are
 * measured.
 */
export async function setExecuteStage(bench: Bench, p: { withPeer: boolean }) {
  const folder = bench.makeProject({ workers: 1 });
  const service = await startSignalbox({ folder, nodeOptions: bench.nodeOptions });
  const referenceFile = join(folder, "reference.db");
  const reference = await startServer("reference", ["--file", referenceFile, "--worker"]);
  const store = openSqliteReader(storeFileOf(folder));
  const jobs = openJobs(referenceFile);
  const peer = p.withPeer ? await startPeer(bench, folder) : null;
  const post = (url: string, amount: Amount) => () =>
    bench.client.post({ url, bodies: smallBody().bodies, connections, ...amount }, 202);
  let accepted = 0;
  return {
    service,
    /** CPU time of all processes of a side so far, in milliseconds. */
    cpuMs: (side: "ours" | "reference") => cpuMsOf(side === "ours" ? service.child.pid : reference.pid),
    async ours(amount: Amount): Promise<ExecuteTurn> {
      const url = service.urlOf(endpoints.executed);
      const turn = await executeTurn(post(url, amount), () => !store.hasAnyOpen());
      accepted += turn.answered;
      await untilAtRest(service.child.pid);
      return turn;
    },
    async reference(amount: Amount): Promise<ExecuteTurn> {
      const turn = await executeTurn(post(reference.url, amount), () => !jobs.hasOpen());
      await untilAtRest(reference.pid);
      return turn;
    },
    peer: peer && { name: peer.name, durability: peer.durability, turn: turnOfPeer(peer, post) },
    async checkStored(): Promise<void> {
      const stored = {
        accepted: await store.accepted(endpoints.executed),
        completed: store.countCompleted(endpoints.executed),
      };
      if (stored.accepted !== accepted || stored.completed !== accepted)
        throw new Error(`${accepted} deliveries were answered 202, and the store has ${JSON.stringify(stored)}`);
    },
    async close(): Promise<void> {
      await store.close();
      jobs.close();
      reference.close();
      await peer?.close();
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startPeer(bench: Bench, folder: string): Promise<Peer | null> {
  try {
    const modules = bench.peers?.("restate");
    return modules === undefined ? null : await startRestate({ modules, folder: join(folder, "restate") });
  } catch (error) {
    bench.note(`restate could not be measured: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

function turnOfPeer(
  peer: Peer,
  post: (url: string, amount: Amount) => Parameters<typeof executeTurn>[0],
): (amount: Amount) => Promise<ExecuteTurn> {
  return async (amount) => {
    const before = (await peer.countExecuted?.()) ?? 0;
    return executeTurn(
      post(peer.url, amount),
      async (answered) => ((await peer.countExecuted?.()) ?? 0) - before >= answered,
    );
  };
}

/** Reads from the reference's database whether a job is open. */
export function openJobs(file: string): { hasOpen(): boolean; close(): void } {
  const db = new Database(file, { readonly: true });
  const isOpen = db.prepare<[], number>("SELECT EXISTS (SELECT 1 FROM job WHERE state < 2)").pluck();
  return { hasOpen: () => isOpen.get() === 1, close: () => void db.close() };
}
