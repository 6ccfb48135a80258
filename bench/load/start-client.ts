import { fork, spawnSync } from "node:child_process";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import type { LoadReply, LoadRequest } from "./load-process.ts";
import type { Load, LoadResult } from "./run-load.ts";

export interface LoadClient {
  /** Rejects if a connection broke, a response is missing, or a status is not the expected one. */
  post(load: Load, expectedStatus: number): Promise<LoadResult>;
  /**
   * Begins loads that are sent until they are stopped. `stop` resolves when each request has its response. It rejects
   * as `post` does, and if no response has the first of the expected statuses.
   */
  flood(loads: readonly Load[], expectedStatuses: readonly number[]): { stop(): Promise<LoadResult[]> };
  /** The highest share of a core that the client itself used in one load: near 1, the client was the limit. */
  highestCpu(): number;
  close(): void;
}

/**
 * A client in a process of its own. `share` is its share of the processors. `first`: what it measures is not its own
 * wait for one, if the system permits that. `last`: its work would be that of other machines, so it gets only what the
 * service leaves.
 */
export function startLoadClient({ share }: { share?: "first" | "last" } = {}): LoadClient {
  const child = fork(join(import.meta.dirname, "load-process.ts"), { serialization: "advanced" });
  if (share && child.pid !== undefined) setShare(child.pid, share);
  const replies = new Map<number, (reply: { result: LoadResult } | { error: string }) => void>();
  let highestCpu = 0;
  let lastId = 0;
  child.on("message", (message) => {
    const reply = message as LoadReply;
    replies.get(reply.id)?.(reply);
    replies.delete(reply.id);
  });
  child.on("exit", () => {
    for (const settle of replies.values()) settle({ error: "The load client ended" });
  });
  const send = (request: LoadRequest) => void child.send(request);

  function begin(load: Load): { id: number; result: Promise<LoadResult> } {
    const id = ++lastId;
    const result = new Promise<LoadResult>((resolve, reject) => {
      replies.set(id, (reply) => {
        if ("error" in reply) return reject(new Error(reply.error));
        highestCpu = Math.max(highestCpu, reply.result.cpu);
        resolve(reply.result);
      });
      send({ id, load });
    });
    return { id, result };
  }

  return {
    highestCpu: () => highestCpu,
    async post(load, expectedStatus) {
      const result = await begin(load).result;
      checkStatuses(load, result.statuses, [expectedStatus]);
      return result;
    },
    flood(loads, expectedStatuses) {
      const begun = loads.map(begin);
      const results = Promise.all(begun.map(({ result }) => result));
      // Reported by `stop`.
      results.catch(() => {});
      return {
        async stop() {
          for (const { id } of begun) send({ id, load: null });
          const all = await results;
          for (const [at, load] of loads.entries()) checkFlood(load, all[at]?.statuses ?? {}, expectedStatuses);
          return all;
        },
      };
    },
    close: () => child.disconnect(),
  };
}

function setShare(pid: number, share: "first" | "last"): void {
  try {
    setPriority(pid, share === "first" ? constants.priority.PRIORITY_HIGHEST : constants.priority.PRIORITY_LOW);
  } catch {
    // Only root may raise a priority.
  }
  // Of Linux: stricter than a low priority.
  if (share === "last") spawnSync("chrt", ["--all-tasks", "--idle", "--pid", "0", String(pid)]);
}

function checkFlood(load: Load, statuses: LoadResult["statuses"], expected: readonly number[]): void {
  checkStatuses(load, statuses, expected);
  const [main] = expected;
  if (main !== undefined && !(main in statuses))
    throw new Error(`${load.url} answered ${JSON.stringify(statuses)} to a flood, and never ${main}`);
}

function checkStatuses(load: Load, statuses: LoadResult["statuses"], expected: readonly number[]): void {
  if (Object.keys(statuses).some((status) => !expected.includes(Number(status))))
    throw new Error(
      `${new URL(load.url).host} answered ${JSON.stringify(statuses)}, where ${expected.join(" or ")} was expected`,
    );
}
