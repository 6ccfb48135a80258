import { readFileSync } from "fs";
import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import receipt from "../workflows/mail/receipt";

export default defineWebhookSource({ slug: "plain", endpoint: "plain", request: z.object({ id: z.string() }) }).attach({
  workflow: receipt,
  transform: (payload) => ({ id: payload.id + typeof readFileSync }),
});
