"use client";

import { useQuery } from "@tanstack/react-query";
import { OctagonAlert } from "lucide-react";
import { useState } from "react";
import type { BuildProblem, FailedBuild } from "../../server/contract/project/failed-build.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RelativeTime } from "../ui/time.tsx";

/**
 * Shown after a failed build, while the service runs the previous one. Disappears with the next successful build.
 * `initial`: the state at rendering.
 */
export function BuildBanner({ initial, version }: { initial: FailedBuild | null; version: string }) {
  const trpc = useTRPC();
  const { data: failed } = useQuery(trpc.project.failedBuild.queryOptions(undefined, { initialData: initial }));
  const [isOpen, setIsOpen] = useState(false);
  if (!failed) return null;
  const errors = failed.problems.filter(({ severity }) => severity === "error");
  const [first, ...others] = errors;
  return (
    <section
      aria-label="Build failed"
      data-banner=""
      className="z-20 flex h-(--banner-height) shrink-0 items-center gap-2.5 border-b bg-bad-soft pr-2.5 pl-4"
    >
      <OctagonAlert aria-hidden size={15} className="shrink-0 text-bad" />
      <p role="alert" className="min-w-0 flex-1 truncate">
        <span className="font-semibold text-bad">Build failed</span>
        {first && `: ${first.title}${others.length > 0 ? ` (and ${others.length} more)` : ""}`}
      </p>
      <span className="hidden shrink-0 text-s text-ink-2 lg:block">
        Version <code>{version.slice(0, 6)}</code> is still running
      </span>
      <Button size="s" onClick={() => setIsOpen(true)}>
        Show details
      </Button>
      <Dialog title="Build failed" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <p className="mb-3 text-ink-2">
          Failed <RelativeTime iso={failed.at} />. Version <code>{version.slice(0, 6)}</code> is still running. Fix the{" "}
          {errors.length === 1 ? "error" : "errors"} and save the file: the project is then built again.
        </p>
        <ul className="grid gap-4">
          {failed.problems.map((problem, index) => (
            <Problem key={index} problem={problem} />
          ))}
        </ul>
      </Dialog>
    </section>
  );
}

function Problem({ problem: { severity, file, line, column, frame, title, text, fix } }: { problem: BuildProblem }) {
  const location = [file, line, column].filter((part) => part !== null).join(":");
  return (
    <li className="min-w-0">
      <p className="font-semibold break-words">
        <span className={severity === "error" ? "text-bad" : "text-wait"}>
          {severity === "error" ? "Error" : "Warning"}:
        </span>{" "}
        {title}
      </p>
      {location !== "" && <p className="mt-0.5 font-mono text-s break-words text-ink-2">{location}</p>}
      {frame && (
        <div className="mt-1.5 rounded-m border bg-sunken">
          <CodeBlock label={`The code at ${location}`} text={frame} />
        </div>
      )}
      <p className="mt-1.5 break-words text-ink-2">{text}</p>
      <p className="mt-1 break-words">
        <span className="font-semibold">How to fix it:</span> {fix}
      </p>
    </li>
  );
}
