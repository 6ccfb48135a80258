import { AppError } from "../contract/app-error.ts";
import type { Target } from "../contract/target.ts";

/** Why `adds` runs more were not queued: AppError `queue_full`. */
export function queueFull({ target, maxQueued, adds }: { target: Target; maxQueued: number; adds: number }): AppError {
  const name = `${target.kind} ${target.slug}`;
  if (adds > maxQueued)
    return new AppError(
      "queue_full",
      `This would queue ${adds} runs of ${name} at once, and its maxQueued is ${maxQueued}: it never fits. Raise maxQueued.`,
    );
  const room = adds === 1 ? "takes no run more" : `has no room for ${adds} runs more`;
  return new AppError(
    "queue_full",
    `The queue of ${name} ${room}: its maxQueued is ${maxQueued}. Nothing was started. Send it again when it has worked some off, or raise maxQueued.`,
  );
}
