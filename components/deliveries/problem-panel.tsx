import Link from "next/link";
import { PlainText } from "../json/plain-text.tsx";
import { Panel } from "../ui/panel.tsx";
import type { FullDelivery } from "./full-delivery.ts";

/** Why a delivery was rejected, with a link to the fix. */
export function ProblemPanel({
  delivery,
  onPath,
}: {
  delivery: FullDelivery;
  onPath: ((pointer: string) => void) | undefined;
}) {
  const { problem, verdicts } = delivery;
  if (!problem) return null;
  // The reasons of triggers are in the verdict table.
  const errors = verdicts.length === 0 ? (problem.errors ?? []) : [];
  return (
    <Panel
      title={`${problem.status} ${problem.title}`}
      note={
        <Link href={`/errors/${encodeURIComponent(problem.code)}`} className="text-accent hover:underline">
          About this error
        </Link>
      }
    >
      <div className="px-4 py-3">
        <p className="break-words whitespace-pre-wrap">
          {problem.code === "unknown_endpoint" ? (
            <UnknownEndpoint delivery={delivery} />
          ) : (
            <PlainText text={problem.detail} />
          )}
        </p>
      </div>
      {errors.length > 0 && (
        <ul className="grid gap-1 border-t px-4 py-3">
          {errors.map((error) => (
            <li key={`${error.pointer} ${error.code} ${error.message}`} className="flex flex-wrap gap-x-3 break-words">
              <button
                type="button"
                disabled={!onPath}
                onClick={() => onPath?.(error.pointer)}
                className="cursor-pointer font-mono text-accent underline decoration-line-strong underline-offset-2 disabled:cursor-default disabled:text-ink disabled:no-underline"
              >
                <PlainText text={error.pointer || "the whole body"} />
              </button>
              <span className="text-ink-2">
                <PlainText text={error.message} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function UnknownEndpoint({ delivery: { endpoint, probableEndpoint } }: { delivery: FullDelivery }) {
  return (
    <>
      There is no endpoint{" "}
      <code className="break-all">
        <PlainText text={endpoint || "(empty)"} />
      </code>
      {probableEndpoint === null ? (
        <>
          .{" "}
          <Link href="/" className="text-accent hover:underline">
            See all endpoints
          </Link>
        </>
      ) : (
        <>
          ; did you mean{" "}
          <Link
            href={`/?node=${encodeURIComponent(`endpoint:${probableEndpoint}`)}`}
            className="font-mono text-accent underline underline-offset-2"
          >
            {probableEndpoint}
          </Link>
          ?
        </>
      )}
    </>
  );
}
