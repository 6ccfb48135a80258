import { fork } from "node:child_process";
import { join } from "node:path";
import type { PostLoad, PostLoadResult } from "./post-load.ts";

export interface LoadClient {
  /** Rejects when a connection broke, an answer is missing, or an answer's status is not the expected one. */
  post(load: PostLoad, expectedStatus: number): Promise<PostLoadResult>;
  /** The most that the client itself used in one load, as part of one core: near 1 it was what limited. */
  highestCpu(): number;
  close(): void;
}

type Reply = { result: PostLoadResult } | { error: string };

export function startLoadClient(): LoadClient {
  const child = fork(join(import.meta.dirname, "load-process.ts"), { serialization: "advanced" });
  let highestCpu = 0;
  return {
    highestCpu: () => highestCpu,
    async post(load, expectedStatus) {
      const reply = await new Promise<Reply>((resolve, reject) => {
        child.once("exit", () => reject(new Error("The load client ended")));
        child.once("message", (message: Reply) => {
          child.removeAllListeners("exit");
          resolve(message);
        });
        child.send(load);
      });
      if ("error" in reply) throw new Error(reply.error);
      const others = Object.keys(reply.result.statuses).filter((status) => Number(status) !== expectedStatus);
      if (others.length > 0)
        throw new Error(
          `${new URL(load.url).host} answered ${JSON.stringify(reply.result.statuses)}, where ${expectedStatus} was expected`,
        );
      highestCpu = Math.max(highestCpu, reply.result.cpu);
      return reply.result;
    },
    close: () => child.disconnect(),
  };
}
