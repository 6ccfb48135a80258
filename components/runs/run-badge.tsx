"use client";

import { useQuery } from "@tanstack/react-query";
import type { RunSummary } from "../../server/contract/run.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { StatusBadge } from "../ui/status-badge.tsx";
import { approvalFace, runStatuses } from "../ui/statuses.ts";

/** As many as are looked at: of more, the oldest are shown as waiting alone. */
const most = 100;

/** How a run stands; of one that waits, whether it waits for a person. All badges of a page ask for that together. */
export function RunBadge({ run }: { run: Pick<RunSummary, "id" | "status" | "target"> }) {
  const mayBeHeld = run.status === "waiting" && run.target.kind === "agent";
  const held = useQuery(useTRPC().runs.list.queryOptions({ needsApproval: true, limit: most }, { enabled: mayBeHeld }));
  const isHeld = mayBeHeld && held.data?.data.some(({ id }) => id === run.id) === true;
  return isHeld ? <HeldBadge /> : <StatusBadge face={runStatuses[run.status]} />;
}

export function HeldBadge() {
  return <StatusBadge face={approvalFace} />;
}
