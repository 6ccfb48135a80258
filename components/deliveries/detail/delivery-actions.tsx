"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Columns2, FilePenLine, Forward, RotateCw } from "lucide-react";
import { useRouter } from "next/navigation";
import { useMemo, useState } from "react";
import type { DeliveryDetails } from "../../../server/contract/delivery.ts";
import { formatCount } from "../../../server/shared/format.ts";
import { useMay, useDisabledReason } from "../../auth/access.tsx";
import { problemOf, describeProblem } from "../../ui/problem-of.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { useLeave } from "../../live/use-leave.tsx";
import { Button, ButtonLink } from "../../ui/controls/button.tsx";
import { CopyButton } from "../../ui/controls/copy-button.tsx";
import { Menu } from "../../ui/overlays/menu.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { CompareDialog } from "../compare/compare-dialog.tsx";
import { deliveryCurl, endpointPath } from "../delivery-curl.ts";
import { evaluatedText, jsonOf } from "../../json/read-body.ts";

/** The actions on a delivery. */
export function DeliveryActions({
  delivery,
  onCompare,
}: {
  delivery: DeliveryDetails;
  onCompare: (id: string) => void;
}) {
  const [isComparing, setIsComparing] = useState(false);
  const slugs = useTriggersOn(delivery.endpoint);
  return (
    <div className="flex min-w-0 flex-wrap gap-2 md:ml-auto">
      <CopyAsCurl delivery={delivery} />
      <Button icon={Columns2} onClick={() => setIsComparing(true)}>
        Compare
      </Button>
      <OpenAsForm delivery={delivery} slugs={slugs} />
      {delivery.outcome === "held" ? <Release delivery={delivery} /> : <Redeliver delivery={delivery} slugs={slugs} />}
      <CompareDialog
        delivery={delivery}
        isOpen={isComparing}
        onClose={() => setIsComparing(false)}
        onChoose={(id) => {
          setIsComparing(false);
          onCompare(id);
        }}
      />
    </div>
  );
}

/** The triggers of the current build. */
function useTriggersOn(endpoint: string): string[] {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.triggers.list.queryOptions({ endpoint }));
  return [...new Set((data ?? []).map(({ slug }) => slug))];
}

function CopyAsCurl({ delivery }: { delivery: DeliveryDetails }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const toast = useToast();
  const mayOperate = useMay("operate");
  const plain = () => location.origin + endpointPath(delivery.endpoint);
  // Requested only on the click, because the audit log records it. Unknown endpoints have no URL with a key, and viewers see none.
  const urlOf = async () => {
    if (!mayOperate || delivery.problem?.code === "unknown_endpoint") return plain();
    try {
      return (await queries.fetchQuery(trpc.triggers.url.queryOptions({ for: delivery.endpoint }, { retry: false })))
        .url;
    } catch (error) {
      // The endpoint may be gone from the project.
      if (problemOf(error).code === "not_found") return plain();
      toast({ tone: "bad", text: `The URL could not be loaded. ${describeProblem(error)}` });
      throw error;
    }
  };
  return (
    <span className="[&>button]:h-8 [&>button]:px-3 [&>button]:text-m [&>button]:text-ink">
      <CopyButton text={async () => deliveryCurl(delivery, await urlOf())} label="Copy as curl">
        Copy as curl
      </CopyButton>
    </span>
  );
}

function OpenAsForm({ delivery, slugs }: { delivery: DeliveryDetails; slugs: string[] }) {
  const leave = useLeave();
  const hrefOf = (slug: string) =>
    `/?node=${encodeURIComponent(`trigger:${slug}`)}&tab=test&from=${encodeURIComponent(delivery.id)}`;
  const [only] = slugs;
  const hasJson = useMemo(() => jsonOf(evaluatedText(delivery)) !== undefined, [delivery]);
  if (!hasJson || only === undefined) {
    const why = !hasJson
      ? "The body is neither JSON nor in a format that the endpoint accepts"
      : `No trigger listens on ${delivery.endpoint} now`;
    return (
      <Button icon={FilePenLine} disabledReason={why}>
        Open as form
      </Button>
    );
  }
  if (slugs.length === 1) {
    return (
      <ButtonLink icon={FilePenLine} href={hrefOf(only)}>
        Open as form
      </ButtonLink>
    );
  }
  return (
    <Menu
      label="Open as form of a trigger"
      items={slugs.map((slug) => ({
        id: slug,
        label: slug,
        note: verdictOn(delivery, slug),
        onSelect: () => leave(hrefOf(slug)),
      }))}
    >
      <FilePenLine aria-hidden size={14} />
      Open as form
    </Menu>
  );
}

/** Evaluates a held delivery again. A redelivery would run its event a second time after its release. */
function Release({ delivery: { id } }: { delivery: DeliveryDetails }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const toast = useToast();
  const disabledReason = useDisabledReason("operate");
  const release = useMutation(
    trpc.deliveries.release.mutationOptions({
      onSuccess: ({ result, runs, message }) => {
        if (result === "held") toast({ tone: "wait", text: `The delivery is still held. ${message ?? ""}` });
        else toast({ tone: "ok", text: `Released: ${formatCount(runs.length, "run")} started.` });
        void queries.invalidateQueries({ queryKey: trpc.deliveries.get.queryKey({ id }) });
      },
      onError: (error) => toast({ tone: "bad", text: `The delivery was not released. ${describeProblem(error)}` }),
    }),
  );
  return (
    <Button
      tone="primary"
      icon={Forward}
      disabled={release.isPending}
      disabledReason={disabledReason}
      title="Evaluate it by the current triggers, and start the runs of those that match"
      onClick={() => release.mutate({ id, action: "release" })}
    >
      Release
    </Button>
  );
}

function Redeliver({ delivery, slugs }: { delivery: DeliveryDetails; slugs: string[] }) {
  const trpc = useTRPC();
  const router = useRouter();
  const toast = useToast();
  const redeliver = useMutation(
    trpc.deliveries.redeliver.mutationOptions({
      onSuccess: ({ deliveryId }, { trigger }) => {
        const href = `/deliveries/${encodeURIComponent(deliveryId)}`;
        toast({
          tone: "ok",
          text: `Redelivered ${trigger === null ? "to all triggers" : `to ${trigger}`}.`,
          href,
          linkLabel: "Open delivery",
        });
        router.push(href);
      },
      onError: (error) => toast({ tone: "bad", text: `The delivery was not redelivered. ${describeProblem(error)}` }),
    }),
  );
  const send = (trigger: string | null) => redeliver.mutate({ id: delivery.id, trigger });
  const disabledReason = useDisabledReason("operate");
  if (disabledReason !== undefined || delivery.body === null || slugs.length === 0) {
    const why =
      disabledReason ??
      (delivery.body === null ? "The body is no longer stored" : `No trigger listens on ${delivery.endpoint} now`);
    return (
      <Button tone="primary" icon={RotateCw} disabledReason={why}>
        Redeliver
      </Button>
    );
  }
  const count = slugs.length === 1 ? `to ${slugs[0]}` : `to all ${formatCount(slugs.length, "trigger")}`;
  return (
    <Menu
      label="Redeliver"
      tone="primary"
      items={[
        {
          id: "*",
          label: `Redeliver ${count}`,
          icon: RotateCw,
          note: "Same body, evaluated again",
          isDisabled: redeliver.isPending,
          onSelect: () => send(null),
        },
        ...(slugs.length === 1
          ? []
          : slugs.map((slug) => ({
              id: slug,
              label: `Only to ${slug}`,
              note: verdictOn(delivery, slug),
              isDisabled: redeliver.isPending,
              onSelect: () => send(slug),
            }))),
      ]}
    >
      <RotateCw aria-hidden size={14} className={redeliver.isPending ? "animate-spin" : ""} />
      Redeliver
    </Menu>
  );
}

function verdictOn({ verdicts }: DeliveryDetails, slug: string): string {
  const verdict = verdicts.find((one) => one.trigger === slug);
  return verdict ? `${verdict.outcome.replaceAll("_", " ")} originally` : "not evaluated originally";
}
