"use client";

import { useState } from "react";
import { CopyButton } from "../ui/copy-button.tsx";
import { Panel } from "../ui/panel.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { ErrorDetails } from "./error-details.tsx";
import type { AttemptError } from "./run-errors.ts";

/** The error of each failed attempt, the last attempt first. */
export function ErrorPanel({ failures }: { failures: AttemptError[] }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = failures.find(({ attempt }) => String(attempt) === chosen) ?? failures.at(-1);
  if (!shown) return null;
  const { source, error } = shown;
  const note = (
    <span className="flex min-w-0 items-center gap-1">
      <code className="truncate">
        {source ? `${source.file}:${source.line}:${source.column}` : shown.step ? `step ${shown.step}` : ""}
      </code>
      <CopyButton text={error.stack ?? `${error.name}: ${error.message}`} label="Copy the error with its stack" />
    </span>
  );
  const details = <ErrorDetails failure={shown} />;
  const newestFirst = failures
    .toReversed()
    .map(({ attempt }) => ({ id: String(attempt), label: `Attempt ${attempt}` }));
  return (
    <Panel title={failures.length > 1 ? "Errors" : "Error"} note={note}>
      {failures.length === 1 ? (
        details
      ) : (
        <div className="[&>[role=tablist]]:px-4">
          <Tabs label="Errors of the attempts" tabs={newestFirst} selected={String(shown.attempt)} onSelect={setChosen}>
            {details}
          </Tabs>
        </div>
      )}
    </Panel>
  );
}
