"use client";

import { useQuery } from "@tanstack/react-query";
import type { RunSummary } from "../../server/contract/run.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { StatusBadge } from "../ui/badges.tsx";
import { approvalStatus, runStatuses } from "../ui/statuses.ts";

/** Only the newest runs that need approval are looked up; older ones show as waiting. */
const maxApprovals = 100;

/** The status of a run, including whether it waits for an approval. All badges of a page share one query. */
export function RunBadge({ run }: { run: Pick<RunSummary, "id" | "status" | "target"> }) {
  const mayNeedApproval = run.status === "waiting" && run.target.kind === "agent";
  const held = useQuery(
    useTRPC().runs.list.queryOptions({ needsApproval: true, limit: maxApprovals }, { enabled: mayNeedApproval }),
  );
  const needsApproval = mayNeedApproval && held.data?.data.some(({ id }) => id === run.id) === true;
  return needsApproval ? <ApprovalBadge /> : <StatusBadge status={runStatuses[run.status]} />;
}

export function ApprovalBadge() {
  return <StatusBadge status={approvalStatus} />;
}
