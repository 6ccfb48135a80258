import { AppError } from "../../contract/app-error.ts";
import { ownerOf, type Principal } from "../access/principal.ts";

/**
 * Limits for concurrent requests of one key or person, by their cost. `list`: searches the store. `content`: reads what
 * a delivery or a run has, which may be large. `export`: a whole file. `wait`: a response or a stream that stays open
 * until something happens. `feed`: a stream that reads all deliveries.
 */
const maxInProgress = { list: 32, content: 64, export: 4, wait: 100, feed: 8 };

export type RequestKind = keyof typeof maxInProgress;

/** Takes a slot and returns the function that frees it. Throws AppError `rate_limited` if none is left. */
export type TakeSlot = (kind: RequestKind, principal: Principal) => () => void;

export function createRequestSlots(): TakeSlot {
  const taken = new Map<string, number>();
  return (kind, principal) => {
    const name = `${kind} ${ownerOf(principal)}`;
    const others = taken.get(name) ?? 0;
    if (others >= maxInProgress[kind]) {
      throw new AppError(
        "rate_limited",
        `This key or person has ${maxInProgress[kind]} such requests in progress, which is the limit. Send the request again when one of them has ended.`,
      );
    }
    taken.set(name, others + 1);
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      const left = (taken.get(name) ?? 1) - 1;
      if (left > 0) taken.set(name, left);
      else taken.delete(name);
    };
  };
}
