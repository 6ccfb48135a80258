"use client";

import { useQuery } from "@tanstack/react-query";
import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../auth/access.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import { Button } from "../../ui/controls/button.tsx";
import { CopyButton } from "../../ui/controls/copy-button.tsx";
import { ErrorNote } from "../../ui/states.tsx";

export interface EndpointKey {
  /** A key of the endpoint; `null` until requested. */
  key: string | null;
  /** The URL with the key. */
  url: string | null;
  isLoading: boolean;
  error: unknown;
  isShown: boolean;
  show: () => void;
  hide: () => void;
  /** The URL with its key, without showing it. Rejects with the same error as `error`. */
  fetchUrl: () => Promise<string>;
}

/** The key of an endpoint. Fetched on demand and dropped when the sheet closes. `trigger`: any trigger on the endpoint. */
export function useEndpointKey(trigger: string): EndpointKey {
  const trpc = useTRPC();
  const [isShown, setIsShown] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const query = useQuery({
    ...trpc.triggers.url.queryOptions({ for: trigger }),
    enabled: isShown,
    gcTime: 0,
    retry: false,
    meta: { live: false },
  });
  const fetchUrl = async (): Promise<string> => {
    const { data, error } = await query.refetch();
    setHasFailed(error !== null);
    if (data) return data.url;
    throw error;
  };
  const url = isShown ? (query.data?.url ?? null) : null;
  return {
    key: url === null ? null : new URL(url).searchParams.get("token"),
    url,
    isLoading: isShown && query.isLoading,
    error: isShown || hasFailed ? query.error : null,
    isShown: url !== null,
    show: () => (isShown ? void query.refetch() : setIsShown(true)),
    hide: () => setIsShown(false),
    fetchUrl,
  };
}

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
            {access.isShown && <KeySwitch access={access} />}
          </div>
          {access.error !== null && (
            <ErrorNote error={access.error} title="The key could not be loaded" retry={access.show} />
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
  const disabledReason = useDisabledReason("operate");
  return (
    <div className="flex min-h-9 min-w-0 items-center gap-2 rounded-m border bg-sunken py-1 pr-1 pl-2.5">
      <code className="min-w-0 flex-1 text-s break-all text-ink-2">
        {url}?token=<span aria-label="hidden">••••••••</span>
      </code>
      <KeySwitch access={access} />
      {disabledReason === undefined ? (
        <CopyButton text={access.fetchUrl} label={`Copy the URL of ${endpoint} with its key`} />
      ) : (
        <CopyButton text={url} label={`Copy the URL of ${endpoint} without a key`} />
      )}
    </div>
  );
}

/** Shows or hides the key. */
export function KeySwitch({ access }: { access: EndpointKey }) {
  const disabledReason = useDisabledReason("operate");
  return (
    <Button
      size="s"
      tone="quiet"
      icon={access.isShown ? EyeOff : Eye}
      disabledReason={disabledReason}
      disabled={access.isLoading}
      onClick={access.isShown ? access.hide : access.show}
    >
      {access.isShown ? "Hide the key" : "Show the key"}
    </Button>
  );
}
