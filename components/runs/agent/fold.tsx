import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";

/** A collapsed section. */
export function Fold({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <details className="group/fold border-t">
      <summary className="flex min-h-8 cursor-pointer list-none items-center gap-1.5 px-4 text-s text-ink-2 -outline-offset-2 hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          size={12}
          className="shrink-0 text-ink-3 transition-transform group-open/fold:rotate-90"
        />
        {title}
        {note && <span className="text-ink-3">{note}</span>}
      </summary>
      {children}
    </details>
  );
}
