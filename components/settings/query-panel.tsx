import type { ReactNode } from "react";
import { problemOf } from "../trpc/problem-of.ts";
import { EmptyFace, ErrorFace, LoadingRows } from "../ui/faces.tsx";
import { Panel } from "../ui/panel.tsx";

/** A titled list with its loading, error and empty states. */
export function QueryPanel<Row>(p: {
  title: string;
  note?: ReactNode;
  query: { data: Row[] | undefined; error: unknown; refetch: () => unknown };
  empty: { title: string; text: string };
  children: (rows: Row[]) => ReactNode;
}) {
  return (
    <Panel title={p.title} note={p.note}>
      <Body {...p} />
    </Panel>
  );
}

function Body<Row>({ title, query, empty, children }: Parameters<typeof QueryPanel<Row>>[0]) {
  if (query.data)
    return query.data.length === 0 ? <EmptyFace title={empty.title}>{empty.text}</EmptyFace> : children(query.data);
  if (query.error)
    return (
      <ErrorFace
        what={`${title} could not be loaded`}
        message={problemOf(query.error).detail}
        retry={() => void query.refetch()}
      />
    );
  return <LoadingRows label={`Loading ${title}`} />;
}
