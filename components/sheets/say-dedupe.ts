import type { Dedupe } from "../../server/contract/project/endpoint.ts";
import { formatInterval } from "../../server/domain/format.ts";

/** How deliveries of the same event are identified, and for how long they are remembered. */
export function describeDedupe({ header, field, windowMs }: Dedupe): string {
  const name =
    header !== null
      ? `by the header ${header}`
      : field !== null
        ? `by ${field} in the body`
        : "by the standard headers or the signed content";
  return `${name}, for ${formatInterval(windowMs)}`;
}
