import { CopyButton } from "../ui/copy-button.tsx";
import type { SenderSettings } from "./snippets.ts";

/** The settings to enter at a sender, field by field. */
export function SenderFields({ settings, label }: { settings: SenderSettings; label: string }) {
  return (
    <div className="rounded-m border">
      <p className="border-b px-3 py-2 text-s text-ink-2">{settings.path}</p>
      <dl aria-label={label} className="divide-y">
        {settings.fields.map(({ name, value, isLiteral }) => (
          <div key={name} className="flex min-h-10 items-center gap-2 border-line py-1 pr-1 pl-3">
            <div className="min-w-0 flex-1">
              <dt className="text-xs text-ink-3">{name}</dt>
              <dd className={isLiteral ? "font-mono text-s break-all" : "text-s text-ink-2"}>{value}</dd>
            </div>
            {isLiteral && <CopyButton text={value} label={`Copy: ${name}`} />}
          </div>
        ))}
      </dl>
    </div>
  );
}
