import { codePointName, splitHidden } from "./split-hidden.ts";

/**
 * Untrusted text: never rendered as markup, isolated from the text around it. Invisible and reordering characters are
 * shown as code points.
 */
export function PlainText({ text }: { text: string }) {
  const parts = splitHidden(text);
  if (parts.length === 1 && parts[0] && "text" in parts[0]) return <bdi>{text}</bdi>;
  return (
    <bdi>
      {parts.map((part, index) =>
        "text" in part ? (
          <span key={index}>{part.text}</span>
        ) : (
          <span
            key={index}
            title="Invisible character"
            className="rounded-s border border-wait px-0.5 text-xs text-wait select-all"
          >
            {codePointName(part.hidden)}
          </span>
        ),
      )}
    </bdi>
  );
}
