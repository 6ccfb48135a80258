import type { ReactNode } from "react";

/** The line of facts below a page title. Omits facts without a value. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className="mt-2 mb-5 flex flex-wrap gap-x-6 gap-y-1 text-s text-ink-2">
      {facts
        .filter(([, value]) => value !== null && value !== "")
        .map(([name, value]) => (
          <div key={name} className="flex min-w-0 gap-1.5">
            <dt>{name}</dt>
            <dd className="min-w-0 font-[560] break-words text-ink">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
