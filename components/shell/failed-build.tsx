"use client";

import { OctagonAlert } from "lucide-react";
import { useState } from "react";
import type { BuildProblem, FailedBuild } from "../../server/contract/project/failed-build.ts";
import { StatusBadge } from "../ui/badges.tsx";
import { CodeBlock } from "../ui/controls/copy-button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import type { StatusStyle } from "../ui/statuses.ts";
import { RelativeTime } from "../ui/time.tsx";

/** A failed build, while the service runs the previous one. A click shows what is wrong, where, and how to fix it. */
export function FailedBuildPill({ failed, version }: { failed: FailedBuild; version: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const errors = failed.problems.filter(({ severity }) => severity === "error");
  const running = <code>{version.slice(0, 6)}</code>;
  return (
    <>
      <button
        type="button"
        onClick={() => setIsOpen(true)}
        aria-haspopup="dialog"
        title={errors[0]?.title}
        className="flex cursor-pointer rounded-full hover:brightness-95"
      >
        <StatusBadge
          status={failedStatus}
          label={
            <>
              build failed<span className="hidden sm:inline"> · showing {running}</span>
            </>
          }
        />
      </button>
      <Dialog title="Build failed" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <p className="mb-3 text-ink-2">
          Failed <RelativeTime iso={failed.at} />. Version {running} is still running. Fix the{" "}
          {errors.length === 1 ? "error" : "errors"} and save the file: the project is then built again.
        </p>
        <ul className="grid gap-4">
          {failed.problems.map((problem, index) => (
            <Problem key={index} problem={problem} />
          ))}
        </ul>
      </Dialog>
    </>
  );
}

const failedStatus: StatusStyle = { label: "build failed", icon: OctagonAlert, tone: "bad" };

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
