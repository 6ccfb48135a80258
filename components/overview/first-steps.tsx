"use client";

import { CodeBlock } from "../ui/code-block.tsx";
import { EmptyFace } from "../ui/faces.tsx";
import { useIsHydrated } from "../ui/use-now.ts";
import type { Trigger } from "./trigger.ts";

const firstTrigger = `import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import welcomeEmail from "../workflows/welcome-email";

export default defineWebhookSource({
  slug: "new-signup",
  endpoint: "signup",
  request: z.object({ name: z.string(), email: z.email() }),
}).attach({
  workflow: welcomeEmail,
  transform: (payload) => ({ to: payload.email, displayName: payload.name }),
});
`;

/** What to write, where there is no trigger. */
export function FirstTrigger() {
  return (
    <EmptyFace title="No triggers yet">
      <p>
        A trigger is a file in <code>triggers/</code>. Write one as <code>triggers/new-signup.ts</code>, and it appears here as soon as it is saved:
      </p>
      <Sample text={firstTrigger} label="A first trigger" />
    </EmptyFace>
  );
}

/** What to paste into a terminal, where nothing was delivered. */
export function FirstDelivery({ trigger, needsKey }: { trigger: Trigger | undefined; needsKey: boolean }) {
  const origin = useIsHydrated() ? location.origin : "";
  if (!trigger) return <EmptyFace title="No deliveries yet">Everything that is sent to an endpoint appears here, also what was refused, with the reason.</EmptyFace>;
  return (
    <EmptyFace title="No deliveries yet">
      <p>
        Everything that is sent to an endpoint appears here, also what was refused. Send one to <code>{trigger.slug}</code>:
      </p>
      <Sample text={curlFor(trigger, origin, needsKey)} label={`A first delivery to ${trigger.slug}`} />
      {needsKey && (
        <p className="mt-2">
          <code>signalbox triggers url {trigger.slug}</code> prints the URL with a key that works.
        </p>
      )}
    </EmptyFace>
  );
}

/** The command that sends a made-up body. Quotes are those of a POSIX shell. */
export function curlFor(trigger: Pick<Trigger, "path" | "example">, origin: string, needsKey: boolean): string {
  const body = JSON.stringify(trigger.example).replaceAll("'", String.raw`'\''`);
  const key = needsKey ? ` \\\n  -H "Authorization: Bearer $SIGNALBOX_KEY"` : "";
  return `curl -i ${origin}${trigger.path}${key} \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`;
}

function Sample({ text, label }: { text: string; label: string }) {
  return (
    <div className="mt-3 rounded-m border bg-sunken">
      <CodeBlock text={text} label={label} copyLabel={`Copy: ${label}`} />
    </div>
  );
}
