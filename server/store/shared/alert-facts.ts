import type { FailureFact } from "../../domain/alerts/findings.ts";

export const maxCountedFailures = 100_000;
export const maxListedFailures = 3;
export const maxListedApprovals = 100;

/** An error message can be long, and is only a hint here. */
const maxErrorChars = 200;

export function toFailureFact(row: {
  target: string;
  count: number;
  firstAt: number | null;
  lastAt: number | null;
  runs: readonly { id: string; name: string | null; message: string | null }[];
}): FailureFact {
  const { target, count, firstAt, lastAt, runs } = row;
  return {
    target,
    count,
    firstAt: firstAt ?? 0,
    lastAt: lastAt ?? 0,
    runs: runs.map(({ id, name, message }) => {
      const error = `${name ?? "Error"}: ${message ?? ""}`;
      return { id, error: error.length <= maxErrorChars ? error : `${error.slice(0, maxErrorChars)}…` };
    }),
  };
}
