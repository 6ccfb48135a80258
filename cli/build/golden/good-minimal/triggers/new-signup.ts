import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import welcomeEmail from "../workflows/welcome-email";

export default defineWebhookSource({
  slug: "new-signup",
  endpoint: "signup",
  request: z.object({ name: z.string().trim().min(1), email: z.email() }),
  filter: z.object({ email: z.string().endsWith("@example.com") }),
}).attach({
  workflow: welcomeEmail,
  transform: (payload) => ({ to: payload.email, displayName: payload.name }),
});
