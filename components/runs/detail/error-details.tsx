import { PlainText } from "../../json/plain-text.tsx";
import { formatCount } from "../../../server/shared/format.ts";
import { type AttemptError, type ErrorIssue, type ErrorSource, foldStack } from "./run-errors.ts";

/** An error in full: the message, the source line, the validation issues, the stack. */
export function ErrorDetails({ failure }: { failure: AttemptError }) {
  const { error, source, issues } = failure;
  return (
    <>
      <p className="px-4 py-3 font-mono text-s break-words whitespace-pre-wrap text-bad">
        <span className="font-semibold">
          <PlainText text={error.name} />:
        </span>{" "}
        <PlainText text={error.message} />
      </p>
      {issues.length > 0 && <IssuesTable issues={issues} />}
      {source && source.lines.length > 0 && <CodeExcerpt source={source} />}
      {error.stack && <Stack stack={error.stack} message={error.message} />}
    </>
  );
}

function CodeExcerpt({ source }: { source: ErrorSource }) {
  const digits = String(source.lines.at(-1)?.number ?? "").length;
  return (
    <pre
      tabIndex={0}
      role="group"
      aria-label={`Code around line ${source.line} of ${source.file}`}
      className="overflow-x-auto border-t py-2 text-s/[1.7] text-ink-2"
    >
      <div className="w-fit min-w-full">
        {source.lines.map(({ number, text }) => (
          <CodeLine
            key={number}
            number={String(number).padStart(digits)}
            text={text}
            isMarked={number === source.line}
            column={source.column}
          />
        ))}
      </div>
    </pre>
  );
}

interface CodeLineProps {
  number: string;
  text: string;
  isMarked: boolean;
  column: number;
}

function CodeLine({ number, text, isMarked, column }: CodeLineProps) {
  const indent = text.length - text.trimStart().length;
  return (
    <div className={`flex px-4 ${isMarked ? "bg-bad-soft" : ""}`}>
      <span className={`mr-4 shrink-0 select-none ${isMarked ? "font-semibold text-bad" : "text-ink-3"}`}>
        {isMarked ? "▸" : " "}
        {number}
      </span>
      {isMarked ? (
        <span>
          {text.slice(0, indent)}
          <mark title={`Column ${column}`} className="rounded-t-s border-b-2 border-bad bg-transparent text-ink">
            {text.slice(indent) || " "}
          </mark>
        </span>
      ) : (
        <span>{text || " "}</span>
      )}
    </div>
  );
}

function IssuesTable({ issues }: { issues: ErrorIssue[] }) {
  return (
    <div tabIndex={0} role="group" aria-label="Validation issues" className="max-h-80 overflow-auto border-t">
      <table className="w-full text-s">
        <thead>
          <tr className="text-left text-xs text-ink-3">
            <th className="px-4 py-1.5 font-medium">Path</th>
            <th className="px-4 py-1.5 font-medium">Issue</th>
          </tr>
        </thead>
        <tbody>
          {issues.map((issue, index) => (
            <tr key={index} className="border-t align-top">
              <td className="px-4 py-1.5">
                <code className="break-all text-bad">
                  {issue.pointer === "" ? "(root)" : <PlainText text={issue.pointer} />}
                </code>
              </td>
              <td className="px-4 py-1.5 break-words">
                <PlainText text={issue.message} /> {issue.code && <code className="text-ink-3">{issue.code}</code>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The frames of the user's own code. Frames of Node and of packages are collapsed. */
function Stack({ stack, message }: { stack: string; message: string }) {
  const parts = foldStack(stack, message);
  if (parts.length === 0) return null;
  return (
    <details className="border-t">
      <summary className="cursor-pointer px-4 py-2 text-s text-ink-3 hover:text-ink">Stack trace</summary>
      <div
        tabIndex={0}
        role="group"
        aria-label="Stack trace"
        className="max-h-80 overflow-auto pb-2 font-mono text-s/[1.7] text-ink-2"
      >
        {parts.map((part, index) =>
          part.kind === "line" ? (
            <div key={index} className={`px-4 break-all whitespace-pre-wrap ${part.isFrame ? "" : "text-bad"}`}>
              <PlainText text={part.text.trimEnd()} />
            </div>
          ) : (
            <details key={index} className="px-4">
              <summary className="cursor-pointer pl-[4ch] text-ink-3 hover:text-ink">
                {formatCount(part.lines.length, "frame")} outside of your code
              </summary>
              <div className="break-all whitespace-pre-wrap">{part.lines.join("\n")}</div>
            </details>
          ),
        )}
      </div>
    </details>
  );
}
