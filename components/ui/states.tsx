import { type LucideIcon, TriangleAlert } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { problemOf, type ProblemText } from "./problem-of.ts";
import { Button } from "./controls/button.tsx";
import { Panel } from "./page-layout.tsx";

/** A titled list with its loading, error and empty states. */
export function QueryPanel<Row>({
  title,
  note,
  query,
  empty,
  children,
}: {
  title: string;
  note?: ReactNode;
  query: { data: Row[] | undefined; error: unknown; refetch: () => unknown };
  empty: { title: string; text: string };
  children: (rows: Row[]) => ReactNode;
}) {
  const rows = query.data;
  return (
    <Panel title={title} note={note}>
      {rows ? (
        rows.length === 0 ? (
          <EmptyState title={empty.title}>{empty.text}</EmptyState>
        ) : (
          children(rows)
        )
      ) : query.error ? (
        <ErrorState
          title={`${title} could not be loaded`}
          message={problemOf(query.error).detail}
          retry={() => void query.refetch()}
        />
      ) : (
        <LoadingRows label={`Loading ${title}`} />
      )}
    </Panel>
  );
}

/** Loading state of a list: placeholder rows of the final height. */
export function LoadingRows({ rows = 4, label }: { rows?: number; label: string }) {
  return (
    <div role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex h-[41px] items-center gap-6 border-b px-4 last:border-0">
          <Skeleton className="h-2.5 w-24 rounded-full" />
          <Skeleton className="h-2.5 w-40 rounded-full" />
          <Skeleton className="ml-auto h-2.5 w-16 rounded-full" />
        </div>
      ))}
    </div>
  );
}

/** Loading state of one element. `className`: its size and shape. */
export function Skeleton({ className }: { className: string }) {
  return <div className={`animate-pulse bg-sunken ${className}`} />;
}

/** Empty state of a list or a page, with the next step. */
export function EmptyState({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="px-4 py-5">
      <p className="font-semibold">{title}</p>
      <div className="mt-1 max-w-[68ch] text-ink-2">{children}</div>
    </div>
  );
}

/** Empty state inside a section, with the next step. */
export function EmptyNote({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="rounded-m border border-dashed px-3 py-2.5">
      <p className="font-medium">{title}</p>
      <div className="mt-0.5 text-s text-ink-2">{children}</div>
    </div>
  );
}

/** Error state of a list or a page. */
export function ErrorState({ title, message, retry }: { title: string; message: string; retry: () => void }) {
  return (
    <div role="alert" className="px-4 py-5">
      <p className="font-semibold text-bad">{title}</p>
      <p className="mt-1 break-words text-ink-2">{message}</p>
      <Button onClick={retry} className="mt-3">
        Try again
      </Button>
    </div>
  );
}

/** A failed call next to its cause. `title` names the failed action: "The run was not canceled". */
export function ErrorNote({ error, title, retry }: { error: unknown; title: string; retry?: () => void }) {
  return <ProblemNote problem={problemOf(error)} title={title} retry={retry} />;
}

/** The failed action, the reason, and how to continue. `more`: a further link. */
export function ProblemNote({
  problem,
  title,
  retry,
  more,
  className = "",
}: {
  problem: ProblemText;
  title: string;
  retry?: (() => void) | undefined;
  more?: ReactNode;
  className?: string;
}) {
  const { detail, errors, link } = problem;
  return (
    <Alert
      className={className}
      action={
        retry && (
          <Button size="s" onClick={retry}>
            Try again
          </Button>
        )
      }
    >
      <p className="font-semibold text-bad">{title}</p>
      <p className="break-words">
        {problem.title}. {detail !== problem.title && detail} {link && <ProblemLink {...link} />} {more}
      </p>
      {errors.length > 0 && (
        <ul className="mt-1.5 grid gap-0.5 text-s">
          {errors.map((one, index) => (
            <li key={index} className="break-words">
              <code className="text-bad">{one.pointer === "" ? "(root)" : one.pointer}</code> {one.message}
            </li>
          ))}
        </ul>
      )}
    </Alert>
  );
}

const alertTones = {
  bad: { box: "bg-bad-soft", icon: "text-bad" },
  wait: { box: "bg-wait-soft", icon: "text-wait" },
};

/** A message that screen readers announce at once: an icon, the text, and a button to the right. */
export function Alert({
  tone = "bad",
  icon: Icon = TriangleAlert,
  action,
  className = "",
  children,
}: {
  tone?: keyof typeof alertTones;
  icon?: LucideIcon;
  action?: ReactNode;
  className?: string;
  children: ReactNode;
}) {
  const { box, icon } = alertTones[tone];
  return (
    <div role="alert" className={`flex items-start gap-2.5 rounded-m px-3 py-2.5 ${box} ${className}`}>
      <Icon aria-hidden size={15} className={`mt-0.5 shrink-0 ${icon}`} />
      <div className="min-w-0 flex-1">{children}</div>
      {action}
    </div>
  );
}

function ProblemLink({ href, label }: { href: string; label: string }) {
  // Reloading the page needs the browser, not the router.
  const Anchor = href === "" ? "a" : Link;
  return (
    <Anchor href={href} className="whitespace-nowrap text-accent underline">
      {label}
    </Anchor>
  );
}
