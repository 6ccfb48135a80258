import type { Dedupe } from "../../server/contract/dedupe.ts";
import { sayPause } from "./say-retries.ts";

/** What makes two deliveries the same event, and for how long. */
export function sayDedupe({ header, field, windowMs }: Dedupe): string {
  return `told by ${header === null ? `${field} in the body` : `the header ${header}`}, for ${sayPause(windowMs)}`;
}
