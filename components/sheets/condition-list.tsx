import type { Condition } from "../../server/domain/schema/conditions.ts";

/** The conditions, one per line. The line `and 3 more` has no path. */
export function ConditionList({ conditions }: { conditions: readonly Condition[] }) {
  if (conditions.length === 0) return <p className="text-ink-2">any body that matches the request schema</p>;
  return (
    <ul className="grid gap-0.5">
      {conditions.map(({ path, words }, index) => (
        <li key={index} className="break-words text-ink-2">
          {path !== "" && <code className="text-ink">{path}</code>} {words}
        </li>
      ))}
    </ul>
  );
}
