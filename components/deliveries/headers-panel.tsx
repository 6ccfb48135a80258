import { PlainText } from "../json/plain-text.tsx";
import { Panel } from "../ui/panel.tsx";

const redacted = "[redacted]";

/** The headers as received. Credentials are never stored. */
export function HeadersPanel({ headers }: { headers: Record<string, string> }) {
  const entries = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
  const hidden = entries.filter(([, value]) => value.includes(redacted)).length;
  return (
    <Panel title="Headers" note={`${entries.length}${hidden > 0 ? ` · ${hidden} redacted` : ""}`}>
      {entries.length === 0 ? (
        <p className="px-4 py-3 text-ink-3">No headers were stored.</p>
      ) : (
        <HeaderList headers={entries} />
      )}
    </Panel>
  );
}

export function HeaderList({ headers }: { headers: readonly [name: string, value: string][] }) {
  return (
    <div
      role="group"
      aria-label="Headers, by name"
      tabIndex={0}
      className="max-h-[480px] overflow-y-auto px-4 py-3 -outline-offset-2"
    >
      <dl className="grid gap-x-5 gap-y-1 font-mono text-s sm:grid-cols-[minmax(0,max-content)_minmax(50%,1fr)]">
        {headers.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="break-all text-ink-3">{name}</dt>
            <dd className="mb-1 [overflow-wrap:anywhere] sm:mb-0">
              {value === redacted ? <Redacted /> : <PlainText text={value} />}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Redacted() {
  return (
    <span
      title="Credential, redacted before the delivery was stored"
      className="rounded-s bg-idle-soft px-1.5 py-px font-sans text-xs text-idle"
    >
      redacted
    </span>
  );
}
