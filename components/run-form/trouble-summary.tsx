"use client";

import { formatCount } from "../../server/domain/format.ts";
import { Alert } from "../ui/states.tsx";
import type { Issue } from "./check/trouble.ts";

const maxShown = 20;

/** All validation issues of a form, with buttons that focus the fields. */
export function IssueSummary({ issues, onShow }: { issues: readonly Issue[]; onShow: (pointer: string) => void }) {
  if (issues.length === 0) return null;
  return (
    <Alert>
      <p className="font-semibold text-bad">
        {`${formatCount(issues.length, "field")} ${issues.length === 1 ? "is" : "are"} invalid.`}
      </p>
      <ul className="mt-1 grid gap-0.5 text-s">
        {issues.slice(0, maxShown).map(({ pointer, message }) => (
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
        {issues.length > maxShown && <li>and {issues.length - maxShown} more</li>}
      </ul>
    </Alert>
  );
}
