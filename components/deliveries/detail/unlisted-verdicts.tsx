"use client";

import type { DeliveryDetails } from "../../../server/contract/delivery.ts";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { visibleText } from "../../../server/shared/schema/visible-text.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { Choice } from "../../ui/controls/choice.tsx";
import { ErrorNote } from "../../ui/states.tsx";
import { describeUnlisted } from "../../../server/shared/deliveries/describe-reason.ts";
import { evaluatedText } from "../../json/read-body.ts";
import { VerdictTable } from "./verdict-table.tsx";

interface Props {
  delivery: DeliveryDetails;
  onPath: ((pointer: string) => void) | undefined;
}

/**
 * On an endpoint with many triggers: the number of verdicts that the delivery does not list, and what stopped them. The
 * verdict of any of these triggers is evaluated on request.
 */
export function UnlistedVerdicts({ delivery, onPath }: Props) {
  if (delivery.unlistedVerdicts.length === 0) return null;
  return (
    <div className={`grid gap-3 px-4 py-3 ${delivery.verdicts.length > 0 ? "border-t" : ""}`}>
      <ul aria-label="Verdicts that are not listed" className="grid gap-1 text-ink-2">
        {delivery.unlistedVerdicts.map((group, index) => (
          <li key={index} className="break-words">
            {visibleText(describeUnlisted(group), 300)}
          </li>
        ))}
      </ul>
      <EvaluateTrigger delivery={delivery} onPath={onPath} />
    </div>
  );
}

function EvaluateTrigger({ delivery, onPath }: Props) {
  const trpc = useTRPC();
  const [chosen, setChosen] = useState("");
  const { data: names } = useQuery(trpc.triggers.names.queryOptions());
  const { data: verdicts, error, mutate } = useMutation(trpc.triggers.verdicts.mutationOptions());
  const text = useMemo(() => evaluatedText(delivery), [delivery]);
  if (text === null) return null;
  const listed = new Set(delivery.verdicts.map(({ trigger }) => trigger));
  const slugs = (names?.triggers ?? [])
    .filter(({ slug, endpoint }) => endpoint === delivery.endpoint && !listed.has(slug))
    .map(({ slug }) => slug);
  const evaluate = (trigger: string) => {
    setChosen(trigger);
    if (trigger !== "") mutate({ trigger, text, headers: delivery.headers });
  };
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Choice
          label="Evaluate a trigger"
          value={chosen}
          options={[
            { value: "", label: "Evaluate a trigger…" },
            ...slugs.map((slug) => ({ value: slug, label: slug })),
          ]}
          onChange={evaluate}
        />
        <span className="text-s text-ink-3">Evaluates this request with the current build. Nothing is started.</span>
      </div>
      {chosen !== "" && error && (
        <ErrorNote error={error} title="The trigger could not be evaluated" retry={() => evaluate(chosen)} />
      )}
      {chosen !== "" && verdicts && <VerdictTable verdicts={verdicts} onPath={onPath} />}
    </div>
  );
}
