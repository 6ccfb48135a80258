"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import type { Build } from "../../server/contract/project/build.ts";
import { formatNumber } from "../../server/shared/format.ts";
import { BacktestPanel } from "../sheets/backtest/backtest-panel.tsx";
import { describeProblem } from "../ui/problem-of.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/controls/button.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { ActionsCell, Cell, Row, Table } from "../ui/page-layout.tsx";
import { QueryPanel } from "../ui/states.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { useToast } from "../ui/overlays/toast.tsx";

/** The builds of the machine that answers, and the way back to an older one. */
export function Builds() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const toast = useToast();
  const [chosen, setChosen] = useState<Build | null>(null);
  const builds = useQuery(trpc.builds.list.queryOptions(undefined, { meta: { live: false } }));
  const rollBack = useMutation(
    trpc.builds.rollBack.mutationOptions({
      onSuccess: ({ id }) => toast({ tone: "ok", text: `Build ${id} is current. The service loads it now.` }),
      onError: (error: unknown) => toast({ tone: "bad", text: describeProblem(error) }),
      async onSettled() {
        setChosen(null);
        await queries.invalidateQueries({ queryKey: trpc.builds.list.queryKey() });
      },
    }),
  );
  const canRollBack = builds.data?.canRollBack === true;
  return (
    <>
      <QueryPanel
        title="Builds"
        query={{ ...builds, data: builds.data?.data }}
        empty={{ title: "No builds", text: "signalbox build creates one." }}
      >
        {(rows) => (
          <Table label="Builds" columns={["Build", "Built", "State", "Open runs", ""]}>
            {rows.map((build) => (
              <Row key={build.id}>
                <Cell name="Build">
                  <code className="text-s">{build.id}</code>
                </Cell>
                <Cell name="Built">{build.builtAt ? <RelativeTime iso={build.builtAt} /> : "unknown"}</Cell>
                <Cell name="State">{stateOf(build)}</Cell>
                <Cell name="Open runs">
                  {build.openRuns === 0 ? (
                    "none"
                  ) : (
                    <Link href={`/runs?version=${encodeURIComponent(build.id)}`} className="underline">
                      {formatNumber(build.openRuns)}
                    </Link>
                  )}
                </Cell>
                <ActionsCell>
                  {canRollBack && !build.isCurrent && build.builtAt && (
                    <Button size="s" onClick={() => setChosen(build)}>
                      Make current
                    </Button>
                  )}
                </ActionsCell>
              </Row>
            ))}
          </Table>
        )}
      </QueryPanel>
      <ConfirmDialog
        title={`Make build ${chosen?.id ?? ""} current?`}
        confirmLabel="Make current"
        isOpen={chosen !== null}
        isBusy={rollBack.isPending}
        onConfirm={() => chosen && rollBack.mutate({ id: chosen.id })}
        onClose={() => setChosen(null)}
      >
        <p className="mb-4">
          The service loads it at once, without a restart. New runs start with it. Open runs continue on the builds that
          accepted them.
        </p>
        {chosen && <BacktestPanel build={chosen.id} version={chosen.id} />}
      </ConfirmDialog>
    </>
  );
}

function stateOf({ isCurrent, builtAt }: Build): string {
  if (isCurrent) return "current";
  return builtAt === null ? "removed: its runs continue on the current build" : "kept";
}
