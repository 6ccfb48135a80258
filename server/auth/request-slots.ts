import { AppError } from "../contract/app-error.ts";
import { ownerOf, type Principal } from "./principal.ts";

/**
 * Requests of one key or person that may be in progress at once, by what they cost. `list`: looks through the store.
 * `export`: a whole file. `wait`: an answer or a stream that is held open until something happens.
 */
const maxInProgress = { list: 32, export: 4, wait: 100 };

export type RequestKind = keyof typeof maxInProgress;

/** Takes a slot, and gives the function that frees it. Throws AppError `rate_limited` where none is left. */
export type TakeSlot = (kind: RequestKind, principal: Principal) => () => void;

export function createRequestSlots(): TakeSlot {
  const taken = new Map<string, number>();
  return (kind, principal) => {
    const name = `${kind} ${ownerOf(principal)}`;
    const others = taken.get(name) ?? 0;
    if (others >= maxInProgress[kind]) {
      throw new AppError(
        "rate_limited",
        `${maxInProgress[kind]} such requests of this key or person are in progress, which is the limit. Send it again when one of them has ended.`,
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
