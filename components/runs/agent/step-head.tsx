import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** The heading of a part of the conversation, with its facts. */
export function StepHead({
  icon: Icon,
  title,
  badge,
  facts,
  name,
}: {
  icon: LucideIcon;
  title: string;
  badge?: ReactNode;
  facts: readonly ReactNode[];
  name?: string;
}) {
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-0.5 bg-sunken px-4 py-1.5">
      <h3 className="flex items-center gap-1.5 font-semibold">
        <Icon aria-hidden size={14} className="shrink-0 text-ink-3" />
        {title}
      </h3>
      {name && <code className="min-w-0 truncate text-s text-ink-2">{name}</code>}
      {badge}
      {facts.length > 0 && (
        <ul className="flex min-w-0 flex-wrap gap-x-3 text-s text-ink-2 tabular-nums md:ml-auto">
          {facts.map((fact, index) => (
            <li key={index}>{fact}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
