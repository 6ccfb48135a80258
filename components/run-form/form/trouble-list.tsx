"use client";

import { useFormShared } from "./form-context.ts";

/** What is wrong with one place, with the pointer that the server would name. */
export function TroubleList({ id, pointer }: { id: string; pointer: string }) {
  const { troubles } = useFormShared();
  const here = troubles.get(pointer) ?? [];
  if (here.length === 0) return null;
  return (
    <ul id={`${id}-error`} className="grid gap-0.5 text-s text-bad">
      {here.map(({ message }) => (
        <li key={message} className="break-words">
          {message}. <code className="break-all">{pointer === "" ? "the whole" : pointer}</code>
        </li>
      ))}
    </ul>
  );
}
