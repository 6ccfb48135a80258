"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { withQuery } from "../../curl/webhook-curl.ts";
import { exampleFields } from "../../run-form/draft/field-texts.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { CodeBlock, CopyButton } from "../../ui/controls/copy-button.tsx";
import { ErrorNote } from "../../ui/states.tsx";
import { Segmented } from "../../ui/controls/choice.tsx";
import { SheetSection } from "../frame/sheet-frame.tsx";
import {
  curlOf,
  keyPlaceholder,
  type SenderKind,
  type SenderSettings,
  settingsOf,
  fetchOf,
  urlWithCredentials,
} from "./snippets.ts";
import { type EndpointKey, KeySwitch } from "./endpoint-key.tsx";

const kinds: readonly { value: "curl" | "fetch" | SenderKind; label: string }[] = [
  { value: "curl", label: "curl" },
  { value: "fetch", label: "fetch" },
  { value: "github", label: "GitHub" },
  { value: "stripe", label: "Stripe" },
];

/** How a sender authenticates: snippets to paste, and the five ways to send the key. */
export function EndpointConnect({
  url,
  slug,
  needsKey,
  access,
}: {
  url: string;
  slug: string;
  needsKey: boolean;
  access: EndpointKey;
}) {
  const trpc = useTRPC();
  const [kind, setKind] = useState<"curl" | "fetch" | SenderKind>("curl");
  const { data } = useQuery(trpc.triggers.get.queryOptions({ slug }));
  const key = access.key ?? keyPlaceholder;
  const fields = exampleFields(data);
  const request = {
    url,
    key: needsKey ? key : null,
    ...fields,
    ...(data && { formats: data.body, methods: data.methods }),
    example: data?.example ?? {},
  };
  return (
    <>
      <SheetSection title="Snippets" note={needsKey && <KeySwitch access={access} />}>
        <Segmented label="Sender" value={kind} options={kinds} onChange={setKind} />
        <div className="mt-2">
          {kind === "curl" || kind === "fetch" ? (
            <div className="rounded-m border bg-sunken">
              <CodeBlock
                text={kind === "curl" ? curlOf(request) : fetchOf(request)}
                label={`Request with ${kind}`}
                copyLabel={`Copy the ${kind} snippet`}
              />
            </div>
          ) : (
            <SenderFields
              settings={settingsOf(kind, { ...request, verify: data?.verify ?? null })}
              label={`Settings for ${kind}`}
            />
          )}
        </div>
        {needsKey && !access.isShown && (
          <p className="mt-1.5 text-s text-ink-3">
            <code>{keyPlaceholder}</code> is a placeholder until you show the key.
          </p>
        )}
        {access.error !== null && (
          <div className="mt-2">
            <ErrorNote error={access.error} title="The key could not be loaded" retry={access.show} />
          </div>
        )}
      </SheetSection>
      <SheetSection title="How to authenticate">
        <p className="mb-2 text-ink-2">
          {needsKey
            ? "Every webhook needs a key in one of these forms. If a request has several keys, all must be valid. Other credentials are ignored."
            : "In development, webhooks from this machine need no key. All other webhooks need one in one of these forms."}
        </p>
        {data?.verify && (
          <p className="mb-2 text-ink-2">
            {needsKey
              ? `Every request also needs a valid ${data.verify} signature. The curl and fetch snippets have none, so they are rejected.`
              : `If a request has a signature, it must be a valid ${data.verify} signature. In a deployment, every request needs one.`}
          </p>
        )}
        <FormsOfKeys value={key} url={withQuery(url, fields.query)} />
      </SheetSection>
    </>
  );
}

function FormsOfKeys({ value, url }: { value: string; url: string }) {
  const forms = [
    { text: `Authorization: Bearer ${value}`, note: "header" },
    { text: `x-api-key: ${value}`, note: "header, equivalent" },
    { text: `?token=${value}`, note: "query parameter, for senders that accept only a URL" },
    { text: `?api_key=${value}`, note: "query parameter, equivalent" },
    {
      text: urlWithCredentials(url, value),
      note: "Basic authentication, for senders that accept a URL with credentials",
    },
  ];
  return (
    <ul className="divide-y rounded-m border">
      {forms.map(({ text, note }) => (
        <li key={note} className="flex min-h-10 items-center gap-2 border-line py-1 pr-1 pl-3">
          <span className="min-w-0 flex-1">
            <code className="text-s break-all">{text}</code>
            <span className="block text-xs text-ink-3">{note}</span>
          </span>
          <CopyButton
            text={text}
            label={`Copy ${text.startsWith("http") ? "the URL with credentials" : text.split(/[:=]/)[0]}`}
          />
        </li>
      ))}
    </ul>
  );
}

/** The settings to enter at a sender, field by field. */
function SenderFields({ settings, label }: { settings: SenderSettings; label: string }) {
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
