import type { ReactNode } from "react";

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
      <div className="min-w-0 [overflow-wrap:anywhere]">{children}</div>
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
