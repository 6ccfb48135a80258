"use client";

import { useQuery } from "@tanstack/react-query";
import type { RunSummary } from "../../server/contract/run.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { StatusBadge } from "../ui/badges.tsx";
import { approvalStatus, runStatuses } from "../ui/statuses.ts";

/** Only the newest runs that need approval are looked up; older ones show as waiting. */
const maxApprovals = 100;

const none: readonly RunSummary[] = [];

/** The newest runs that wait for an approval. All of a page share one query. */
export function useRunsToApprove(isEnabled: boolean): readonly RunSummary[] {
  const filter = { needsApproval: true, limit: maxApprovals } as const;
  return useQuery(useTRPC().runs.list.queryOptions(filter, { enabled: isEnabled })).data?.data ?? none;
}

/** The status of a run, including whether it waits for an approval. */
export function RunBadge({ run }: { run: Pick<RunSummary, "id" | "status" | "target"> }) {
  const mayNeedApproval = run.status === "waiting" && run.target.kind === "agent";
  const held = useRunsToApprove(mayNeedApproval);
  const needsApproval = mayNeedApproval && held.some(({ id }) => id === run.id);
  return needsApproval ? <ApprovalBadge /> : <StatusBadge status={runStatuses[run.status]} />;
}

export function ApprovalBadge() {
  return <StatusBadge status={approvalStatus} />;
}
