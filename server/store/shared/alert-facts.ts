import { describeFailure, type FailureFact } from "../../domain/alerts/findings.ts";

export const maxCountedFailures = 100_000;
export const maxListedFailures = 3;
export const maxListedApprovals = 100;

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
    runs: runs.map(({ id, ...error }) => ({ id, error: describeFailure(error) })),
  };
}
