import type { RunSummary } from "../../server/contract/run.ts";
import { ShortId } from "../ui/short-id.tsx";
import { startedByWords } from "./started-by-words.ts";

/** The source of a run, with a link to it. */
export function StartedBy({ run }: { run: Pick<RunSummary, "startedBy" | "deliveryId" | "replayOf"> }) {
  const source = run.replayOf
    ? { id: run.replayOf, href: `/runs/${run.replayOf}` }
    : run.deliveryId
      ? { id: run.deliveryId, href: `/deliveries/${run.deliveryId}` }
      : null;
  return (
    <>
      {startedByWords[run.startedBy]}
      {source && (
        <>
          {" "}
          <ShortId id={source.id} href={source.href} />
        </>
      )}
    </>
  );
}
