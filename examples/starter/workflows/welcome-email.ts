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

    // A sleep occupies no worker. It can last for days and survives restarts.
    await ctx.sleep("let the account settle", "1s");

    // A completed step is never executed again, not even after a crash or a retry.
    await ctx.step("send", () => putFile(`${ctx.run.id}.eml`, renderMail({ ...input, messageId })));

    ctx.log.info("Welcome email sent", { to: input.to, messageId });
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
