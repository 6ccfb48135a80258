import { CodeBlock } from "../ui/code-block.tsx";

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

/** Empty state: the code of a first trigger. */
export function FirstTrigger() {
  return (
    <section aria-labelledby="first-trigger" className="mx-auto w-full max-w-[680px] p-4 md:pt-[10vh]">
      <h2 id="first-trigger" className="text-l font-semibold">
        No triggers yet
      </h2>
      <p className="mt-1 text-ink-2">
        A trigger is a file in <code>triggers/</code>. Create <code>triggers/new-signup.ts</code> with this code. The
        trigger appears here when you save the file.
      </p>
      <div className="mt-4 rounded-l border bg-panel shadow-raised">
        <CodeBlock text={firstTrigger} label="Example trigger" copyLabel="Copy the example trigger" />
      </div>
    </section>
  );
}
