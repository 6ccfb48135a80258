import { CopyButton } from "./copy-button.tsx";

/** Plain text in a scrolling block, never rendered as markup. `copyLabel` adds a copy button. */
export function CodeBlock({ text, label, copyLabel }: { text: string; label: string; copyLabel?: string }) {
  return (
    <div className="relative">
      {/* A scrolling region must be reachable by keyboard. */}
      <pre
        tabIndex={0}
        role="region"
        aria-label={`${label}, as text`}
        className={`max-h-[480px] overflow-auto py-3 pl-4 text-s/[1.65] text-ink-2 ${copyLabel ? "mr-11 pr-1" : "pr-4"}`}
      >
        {text}
      </pre>
      {copyLabel && (
        <div className="absolute top-2 right-2">
          <CopyButton text={text} label={copyLabel} />
        </div>
      )}
    </div>
  );
}
