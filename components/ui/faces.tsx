import type { ReactNode } from "react";
import { Button } from "./button.tsx";

/** Loading state of a list: placeholder rows of the final height. */
export function LoadingRows({ rows = 4, label }: { rows?: number; label: string }) {
  return (
    <div role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex h-[41px] items-center gap-6 border-b px-4 last:border-0">
          <span className="h-2.5 w-24 animate-pulse rounded-full bg-sunken" />
          <span className="h-2.5 w-40 animate-pulse rounded-full bg-sunken" />
          <span className="ml-auto h-2.5 w-16 animate-pulse rounded-full bg-sunken" />
        </div>
      ))}
    </div>
  );
}

/** Error state of a list or a page. */
export function ErrorFace({ what, message, retry }: { what: string; message: string; retry: () => void }) {
  return (
    <div role="alert" className="px-4 py-5">
      <p className="font-semibold text-bad">{what}</p>
      <p className="mt-1 break-words text-ink-2">{message}</p>
      <Button onClick={retry} className="mt-3">
        Try again
      </Button>
    </div>
  );
}

/** Empty state of a list, with the next step. */
export function EmptyFace({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="px-4 py-5">
      <p className="font-semibold">{title}</p>
      <div className="mt-1 max-w-[68ch] text-ink-2">{children}</div>
    </div>
  );
}
