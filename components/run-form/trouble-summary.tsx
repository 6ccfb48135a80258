"use client";

import { TriangleAlert } from "lucide-react";
import type { Trouble } from "./check/trouble.ts";

const most = 20;

/** Everything that keeps a form from being sent, each with a way there. */
export function TroubleSummary({
  troubles,
  onShow,
}: {
  troubles: readonly Trouble[];
  onShow: (pointer: string) => void;
}) {
  if (troubles.length === 0) return null;
  return (
    <div role="alert" className="flex items-start gap-2.5 rounded-m bg-bad-soft px-3 py-2.5">
      <TriangleAlert aria-hidden size={15} className="mt-0.5 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold text-bad">
          {troubles.length === 1 ? "One place is not right yet" : `${troubles.length} places are not right yet`}
        </p>
        <ul className="mt-1 grid gap-0.5 text-s">
          {troubles.slice(0, most).map(({ pointer, message }) => (
            <li key={`${pointer} ${message}`} className="break-words">
              <button
                type="button"
                onClick={() => onShow(pointer)}
                className="cursor-pointer text-left underline decoration-dotted underline-offset-2"
              >
                <code>{pointer === "" ? "the whole" : pointer}</code>
              </button>{" "}
              {message}
            </li>
          ))}
          {troubles.length > most && <li>and {troubles.length - most} more</li>}
        </ul>
      </div>
    </div>
  );
}
