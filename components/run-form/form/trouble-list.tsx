"use client";

import { useFormShared } from "./form-context.ts";

/** The validation issues of one field, with the JSON pointer that the server would report. */
export function IssueList({ id, pointer }: { id: string; pointer: string }) {
  const { issues } = useFormShared();
  const here = issues.get(pointer) ?? [];
  if (here.length === 0) return null;
  return (
    <ul id={`${id}-error`} className="grid gap-0.5 text-s text-bad">
      {here.map(({ message }) => (
        <li key={message} className="break-words">
          {message}. <code className="break-all">{pointer === "" ? "(root)" : pointer}</code>
        </li>
      ))}
    </ul>
  );
}
