"use client";

import { Eye, EyeOff } from "lucide-react";
import { useDisabledReason } from "./access.tsx";
import { problemOf } from "../ui/problem-of.ts";
import { Button } from "../ui/controls/button.tsx";

/** Says that sensitive values are masked, and reveals them on request. */
export function MaskedNote({
  what,
  reveal,
}: {
  what: "delivery" | "run";
  /** `data`: what was revealed. */
  reveal: { data: unknown; error: unknown; isPending: boolean; mutate: () => void; reset: () => void };
}) {
  const disabledReason = useDisabledReason("operate");
  const isRevealed = reveal.data !== undefined;
  return (
    <section
      aria-label="Sensitive values"
      className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-m border bg-sunken px-4 py-2.5"
    >
      <p className="min-w-0 flex-1 text-ink-2" role="status">
        {isRevealed
          ? "Sensitive values are revealed. The audit log has an entry."
          : `Sensitive values of this ${what} are masked: fakes of the same format are shown.`}
        {reveal.error ? <span className="block text-bad">{problemOf(reveal.error).detail}</span> : null}
      </p>
      {isRevealed ? (
        <Button icon={EyeOff} size="s" onClick={reveal.reset}>
          Mask again
        </Button>
      ) : (
        <Button
          icon={Eye}
          size="s"
          disabledReason={disabledReason}
          disabled={reveal.isPending}
          title="The audit log records who reveals them"
          onClick={reveal.mutate}
        >
          Reveal
        </Button>
      )}
    </section>
  );
}
