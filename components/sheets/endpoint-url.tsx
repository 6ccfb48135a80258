"use client";

import { Eye, EyeOff } from "lucide-react";
import { useWhyNot } from "../auth/access.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import type { EndpointKey } from "./use-endpoint-key.ts";

/** The URL of an endpoint. In a deployment also the URL with its key, shown on demand. */
export function EndpointUrl({
  url,
  endpoint,
  needsKey,
  access,
}: {
  url: string;
  endpoint: string;
  needsKey: boolean;
  access: EndpointKey;
}) {
  return (
    <div className="grid gap-2">
      <UrlLine label={`Copy the URL of ${endpoint}`} url={url} />
      {!needsKey && (
        <p className="text-s text-ink-3">
          In development, webhooks from this machine need no key. All other webhooks need one.
        </p>
      )}
      {needsKey && (
        <>
          {access.url === null ? (
            <MaskedUrl url={url} endpoint={endpoint} access={access} />
          ) : (
            <UrlLine label={`Copy the URL of ${endpoint} with its key`} url={access.url} />
          )}
          <div className="flex items-center justify-between gap-3">
            <p className="text-s text-ink-3">
              For senders that accept only a URL. Keep it secret: it contains the key.
            </p>
            {access.isShown && (
              <Button size="s" tone="quiet" icon={EyeOff} onClick={access.hide}>
                Hide the key
              </Button>
            )}
          </div>
          {access.error !== null && (
            <ErrorNote error={access.error} what="The key could not be loaded" retry={access.show} />
          )}
        </>
      )}
    </div>
  );
}

function UrlLine({ url, label }: { url: string; label: string }) {
  return (
    <div className="flex min-h-9 min-w-0 items-center gap-2 rounded-m border bg-sunken py-1 pr-1 pl-2.5">
      <code className="min-w-0 flex-1 text-s break-all select-all">{url}</code>
      <CopyButton text={url} label={label} />
    </div>
  );
}

function MaskedUrl({ url, endpoint, access }: { url: string; endpoint: string; access: EndpointKey }) {
  const disabledReason = useWhyNot("operate");
  return (
    <div className="flex min-h-9 min-w-0 items-center gap-2 rounded-m border bg-sunken py-1 pr-1 pl-2.5">
      <code className="min-w-0 flex-1 text-s break-all text-ink-2">
        {url}?token=<span aria-label="hidden">••••••••</span>
      </code>
      <Button
        size="s"
        tone="quiet"
        icon={Eye}
        title={disabledReason}
        disabled={disabledReason !== undefined || access.isLoading}
        onClick={access.show}
      >
        Show the key
      </Button>
      {disabledReason === undefined ? (
        <CopyButton text={access.fetchUrl} label={`Copy the URL of ${endpoint} with its key`} />
      ) : (
        <CopyButton text={url} label={`Copy the URL of ${endpoint} without a key`} />
      )}
    </div>
  );
}
