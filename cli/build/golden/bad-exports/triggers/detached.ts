import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";

export default defineWebhookSource({ slug: "detached", endpoint: "detached", request: z.unknown() });
