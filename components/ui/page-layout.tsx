import Link from "next/link";
import type { ComponentProps, ReactNode } from "react";
import { CopyButton } from "./controls/copy-button.tsx";
import { Tabs } from "./controls/tabs.tsx";

/** The list that a page belongs to, its id, its title, and the status and actions after it. `nav` is above them. */
export function PageTitle({
  list,
  id,
  title,
  nav,
  children,
}: {
  list: { href: string; label: string };
  id: string;
  title: ReactNode;
  nav?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <>
      <div className="flex h-8 items-center gap-1 text-s text-ink-3">
        <p className="min-w-0 truncate">
          <Link href={list.href} prefetch={false} className="hover:text-ink hover:underline">
            {list.label}
          </Link>{" "}
          / <code title={id}>{id}</code>
        </p>
        <CopyButton text={id} label="Copy the id" size="s" />
        {nav !== undefined && <span className="ml-auto flex shrink-0">{nav}</span>}
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h1 className="min-w-0 text-l font-[640] wrap-anywhere md:text-xl">{title}</h1>
        {children}
      </div>
    </>
  );
}

/** A titled card. `note` is to the right of the title. */
export function Panel({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0 overflow-hidden rounded-l border bg-panel">
      <div className="flex min-h-11 items-center gap-3 border-b px-4 py-2">
        <h2 className="text-m font-semibold">{title}</h2>
        {note !== undefined && <div className="ml-auto text-s text-ink-3">{note}</div>}
      </div>
      {children}
    </section>
  );
}

/** A card whose title is a row of tabs. `title` is its accessible name. */
export function TabbedPanel({ title, ...tabs }: { title: string } & Omit<ComponentProps<typeof Tabs>, "label">) {
  return (
    <section aria-label={title} className="min-w-0 overflow-hidden rounded-l border bg-panel">
      <Tabs label={title} {...tabs} />
    </section>
  );
}

/** A bar above the rows of a panel: filters on the left, actions on the right. */
export function PanelBar({ children }: { children: ReactNode }) {
  return <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-2 border-b px-4 py-1.5">{children}</div>;
}

/** The line of facts below a page title. Omits facts without a value. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className="mt-2 mb-5 flex flex-wrap gap-x-6 gap-y-1 text-s text-ink-2">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== "")
        .map(([name, value]) => (
          <div key={name} className="flex min-w-0 gap-1.5">
            <dt>{name}</dt>
            <dd className="min-w-0 font-[560] break-words text-ink">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A table that becomes stacked rows on narrow screens, where each cell has its column's name. */
export function Table({ label, columns, children }: { label: string; columns: string[]; children: ReactNode }) {
  return (
    <table aria-label={label} className="block w-full xl:table">
      <thead className="sr-only xl:not-sr-only xl:table-header-group">
        <tr>
          {columns.map((column) => (
            <th
              key={column}
              scope="col"
              className="border-b px-4 py-2 text-left text-xs font-medium whitespace-nowrap text-ink-3"
            >
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="block xl:table-row-group">{children}</tbody>
    </table>
  );
}

export function Row({ children }: { children: ReactNode }) {
  return (
    <tr className="grid gap-1.5 border-b px-4 py-3 last:border-0 xl:table-row xl:p-0 xl:hover:bg-sunken xl:[&:not(:last-child)>td]:border-b">
      {children}
    </tr>
  );
}

export function Cell({ name, children }: { name: string; children: ReactNode }) {
  const isEmpty = children === null || children === undefined || children === false || children === "";
  return (
    <td
      className={`${isEmpty ? "hidden" : "flex"} min-w-0 items-baseline gap-3 xl:table-cell xl:px-4 xl:py-2.5 xl:align-baseline`}
    >
      <span className="w-[84px] shrink-0 text-xs text-ink-3 xl:hidden">{name}</span>
      <div className="min-w-0 wrap-anywhere">{children}</div>
    </td>
  );
}

/** The actions of a row: buttons at its end, or below it on narrow screens. Their column has no name. */
export function ActionsCell({ children }: { children: ReactNode }) {
  return (
    <td
      className={`${children ? "flex" : "hidden"} min-w-0 gap-3 xl:table-cell xl:w-px xl:px-4 xl:py-2.5 xl:align-baseline xl:whitespace-nowrap`}
    >
      <span className="w-[84px] shrink-0 xl:hidden" />
      <div className="flex min-w-0 flex-wrap items-center gap-2 xl:flex-nowrap xl:justify-end">{children}</div>
    </td>
  );
}
