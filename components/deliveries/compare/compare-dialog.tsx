"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { DeliveryDetails } from "../../../server/contract/delivery.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { LoadingRows } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { TextInput } from "../../ui/controls/text-input.tsx";
import { OutcomeBadge } from "../delivery-parts.tsx";
import { formatBytes } from "../../../server/shared/format.ts";

const idPattern = /dlv_[0-9A-Za-z]+/;

/** Chooses the delivery to compare with: a recent one on the endpoint, or any by its id. */
export function CompareDialog({
  delivery,
  isOpen,
  onClose,
  onChoose,
}: {
  delivery: DeliveryDetails;
  isOpen: boolean;
  onClose: () => void;
  onChoose: (id: string) => void;
}) {
  return (
    <Dialog title="Compare with another delivery" isOpen={isOpen} onClose={onClose}>
      <Choices delivery={delivery} onChoose={onChoose} />
    </Dialog>
  );
}

function Choices({ delivery, onChoose }: { delivery: DeliveryDetails; onChoose: (id: string) => void }) {
  const trpc = useTRPC();
  const [pasted, setPasted] = useState("");
  const recent = useQuery(
    trpc.deliveries.list.queryOptions(
      { endpoint: delivery.endpoint, limit: 12 },
      { placeholderData: keepPreviousData, meta: { live: false } },
    ),
  );
  const id = idPattern.exec(pasted)?.[0];
  const others = (recent.data?.data ?? []).filter((other) => other.id !== delivery.id);
  return (
    <>
      <form
        className="flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (id) onChoose(id);
        }}
      >
        <TextInput
          label="Delivery ID or page URL"
          value={pasted}
          onChange={(event) => setPasted(event.target.value)}
          placeholder="dlv_…"
          data-autofocus=""
          className="flex-1"
        />
        <Button type="submit" tone="primary" disabled={!id}>
          Compare
        </Button>
      </form>
      <h3 className="mt-4 mb-1 text-s font-medium text-ink-2">
        Latest on <code>{delivery.endpoint}</code>
      </h3>
      <div className="min-h-40">
        {recent.isPending && <LoadingRows label="Loading deliveries" rows={4} />}
        {recent.data && others.length === 0 && (
          <p className="py-2 text-ink-3">There are no other deliveries on this endpoint.</p>
        )}
        <ul>
          {others.map((other) => (
            <li key={other.id}>
              <button
                type="button"
                onClick={() => onChoose(other.id)}
                className="flex w-full cursor-pointer items-center gap-3 rounded-m px-2 py-1.5 text-left hover:bg-sunken"
              >
                <OutcomeBadge delivery={other} />
                <span className="min-w-0 flex-1 truncate text-ink-2">{other.decision}</span>
                <span className="shrink-0 text-s text-ink-3 tabular-nums">{formatBytes(other.bodyBytes)}</span>
                <span className="w-20 shrink-0 text-right text-s text-ink-3">
                  <RelativeTime iso={other.receivedAt} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
