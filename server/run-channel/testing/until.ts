import { vi } from "vitest";

/** Waits until the check passes, also on a busy machine. */
export function until<T>(
  check: () => T | Promise<T>,
  options: { timeout?: number; interval?: number } = {},
): Promise<T> {
  return vi.waitFor(check, { timeout: 60_000, ...options });
}
