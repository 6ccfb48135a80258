"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { Fragment } from "react";
import type { AwaitedEvent } from "../../../server/contract/run.ts";
import { shortJson } from "../../../server/shared/json/short-json.ts";
import { PlainText } from "../../json/plain-text.tsx";
import { useTRPC } from "../../trpc/trpc.ts";

/** The events of which the first ends a wait: each source, and the values that its payload must have. */
export function AwaitedEvents({ events }: { events: readonly AwaitedEvent[] }) {
  const names = useQuery(useTRPC().triggers.names.queryOptions()).data;
  return events.map(({ source, match }, index) => (
    <Fragment key={index}>
      {index > 0 && <span className="font-normal text-ink-3"> or </span>}
      <SourceName slug={source} isTrigger={names?.triggers.some(({ slug }) => slug === source) ?? false} />
      {Object.keys(match).length > 0 && (
        <>
          {" "}
          <code className="font-normal break-all">
            <PlainText text={shortJson(match)} />
          </code>
        </>
      )}
    </Fragment>
  ));
}

/** The current build may no longer have the source. */
function SourceName({ slug, isTrigger }: { slug: string; isTrigger: boolean }) {
  if (!isTrigger) return slug;
  return (
    <Link
      href={`/?node=${encodeURIComponent(`trigger:${slug}`)}`}
      prefetch={false}
      className="text-accent underline decoration-line-strong underline-offset-2 hover:decoration-current"
    >
      {slug}
    </Link>
  );
}
