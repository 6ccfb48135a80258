import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import { putFile } from "../lib/outbox";

export default defineWorkflow({
  slug: "welcome-email",
  input: z.object({ to: z.email(), displayName: z.string() }),
  output: z.object({ messageId: z.string() }),
  retries: { attempts: 3, backoff: "exponential" },
  timeout: "1m",
  async run(input, ctx) {
    const messageId = `${ctx.run.id}@example.com`;

    // Holds no worker: the run is put aside, also for days, and survives a restart.
    await ctx.sleep("let the account settle", "1s");

    // Once it has finished, a step is not executed again, whatever happens to the run.
    await ctx.step("send", () => putFile(`${ctx.run.id}.eml`, renderMail({ ...input, messageId })));

    ctx.log.info("Welcome mail sent", { to: input.to, messageId });
    return { messageId };
  },
});

function renderMail(mail: { to: string; displayName: string; messageId: string }): string {
  return [
    `Message-ID: <${mail.messageId}>`,
    "From: Example <hello@example.com>",
    `To: ${mail.to}`,
    "Subject: Welcome to Example",
    "Content-Type: text/plain; charset=utf-8",
    "",
    `Hello ${mail.displayName},`,
    "",
    "it is good to have you with us.",
    "",
  ].join("\r\n");
}
