import type { Reason } from "../../server/contract/delivery.ts";

/** One reason in parts. */
interface ReasonParts {
  /** `null`: the trigger is disabled; the reason is not about the body. */
  where: string | null;
  said: string;
  /** The value as JSON; `missing`: the field is absent; `null`: does not apply. */
  was: string | null;
}

export function reasonParts({ pointer, code, message, expected, actual }: Reason): ReasonParts {
  if (code === "disabled") return { where: null, said: message, was: null };
  // The whole body is never missing.
  return {
    where: pointer || "the whole body",
    said: expected === null ? message : `expected ${expected}`,
    was: actual ?? (pointer === "" ? null : "missing"),
  };
}

/** `/data/amount: expected ≥ 10000, was -5`. */
export function sayReason(reason: Reason): string {
  const { where, said, was } = reasonParts(reason);
  const ending = was === null ? "" : reason.actual === null ? `, ${was}` : `, was ${was}`;
  return `${where === null ? "" : `${where}: `}${said}${ending}`;
}
