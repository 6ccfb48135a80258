import { formatNumber } from "../../server/domain/format.ts";

export interface Counted {
  count: number;
  /** There are more. */
  isCapped: boolean;
}

/** `1,204`, or `more than 10,000`. */
export function countWords({ count, isCapped }: Counted): string {
  return `${isCapped ? "more than " : ""}${formatNumber(count)}`;
}

/** `1 run`, `12 runs`, `more than 10,000 runs`. */
export function runsWords(counted: Counted): string {
  return `${countWords(counted)} ${counted.count === 1 && !counted.isCapped ? "run" : "runs"}`;
}
