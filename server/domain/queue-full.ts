import { AppError } from "../contract/app-error.ts";
import type { Target } from "../contract/target.ts";

/** Why `adds` runs more were not queued: AppError `queue_full`. */
export function queueFull({ target, maxQueued, adds }: { target: Target; maxQueued: number; adds: number }): AppError {
  const name = `${target.kind} ${target.slug}`;
  if (adds > maxQueued)
    return new AppError(
      "queue_full",
      `This would queue ${adds} runs of ${name} at once, but its maxQueued is ${maxQueued}. Raise maxQueued.`,
    );
  const room = adds === 1 ? "is full" : `has no room for ${adds} more runs`;
  return new AppError(
    "queue_full",
    `The queue of ${name} ${room}: its maxQueued is ${maxQueued}. No run was started. Send the request again later, or raise maxQueued.`,
  );
}
