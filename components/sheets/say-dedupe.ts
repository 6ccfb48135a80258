import type { Dedupe } from "../../server/contract/dedupe.ts";
import { sayPause } from "./say-retries.ts";

/** What makes two deliveries the same event, and for how long. */
export function sayDedupe({ header, field, windowMs }: Dedupe): string {
  const name =
    header !== null
      ? `by the header ${header}`
      : field !== null
        ? `by ${field} in the body`
        : "by the usual headers or the signed content";
  return `recognised ${name}, for ${sayPause(windowMs)}`;
}
