"use client";

import { TriangleAlert } from "lucide-react";
import { formatCount } from "../../server/domain/format.ts";
import type { Trouble } from "./check/trouble.ts";

const maxShown = 20;

/** All validation issues of a form, with buttons that focus the fields. */
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
          {`${formatCount(troubles.length, "field")} ${troubles.length === 1 ? "is" : "are"} invalid.`}
        </p>
        <ul className="mt-1 grid gap-0.5 text-s">
          {troubles.slice(0, maxShown).map(({ pointer, message }) => (
            <li key={`${pointer} ${message}`} className="break-words">
              <button
                type="button"
                onClick={() => onShow(pointer)}
                className="cursor-pointer text-left underline decoration-dotted underline-offset-2"
              >
                <code>{pointer === "" ? "(root)" : pointer}</code>
              </button>{" "}
              {message}
            </li>
          ))}
          {troubles.length > maxShown && <li>and {troubles.length - maxShown} more</li>}
        </ul>
      </div>
    </div>
  );
}
