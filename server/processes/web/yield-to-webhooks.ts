import { readdirSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import type { Logger } from "../../ports/logger.ts";

const { PRIORITY_BELOW_NORMAL: difference, PRIORITY_LOW: lowest } = constants.priority;

/**
 * If the processor is busy, webhooks and runs have precedence over pages and the API: this process gets a lower
 * priority than the service was started with. On Linux, each thread has its own priority: those that collect garbage or
 * hash passwords have begun before.
 */
export function yieldToWebhooks(logger: Pick<Logger, "debug">): void {
  try {
    const priority = Math.min(getPriority() + difference, lowest);
    const threads = process.platform === "linux" ? readdirSync("/proc/self/task").map(Number) : [process.pid];
    for (const thread of threads) setPriority(thread, priority);
  } catch (error) {
    logger.debug("could not lower the priority of web", { error });
  }
}
