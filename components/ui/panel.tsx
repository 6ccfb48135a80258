import type { ReactNode } from "react";

/** A titled card. `note` is to the right of the title. */
export function Panel({
  id,
  title,
  note,
  children,
}: {
  id?: string;
  title: string;
  note?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section id={id} aria-label={title} className="min-w-0 scroll-mt-16 overflow-hidden rounded-l border bg-panel">
      <div className="flex min-h-11 items-center gap-3 border-b px-4 py-2">
        <h2 className="text-m font-semibold">{title}</h2>
        {note !== undefined && <div className="ml-auto text-s text-ink-3">{note}</div>}
      </div>
      {children}
    </section>
  );
}
