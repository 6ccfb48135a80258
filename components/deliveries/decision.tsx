import Link from "next/link";
import type { DeliverySummary } from "../../server/contract/delivery.ts";
import { PlainText } from "../json/plain-text.tsx";
import { decisionOf, nearMissOf } from "./decision-of.ts";

/** Why a delivery did, or did not, start a run, in one line. A near miss links to the similar endpoint. */
export function Decision({ delivery }: { delivery: DeliverySummary }) {
  const words = decisionOf(delivery);
  const meant = nearMissOf(delivery);
  return (
    <span title={words} className="block truncate text-ink-2">
      <PlainText text={words} />
      {meant !== null && (
        <>
          ; did you mean{" "}
          <Link
            href={`/?node=${encodeURIComponent(`endpoint:${meant}`)}`}
            prefetch={false}
            className="font-mono text-accent hover:underline"
          >
            {meant}
          </Link>
          ?
        </>
      )}
    </span>
  );
}
