import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({ slug: "paid", endpoint: "paid", request: z.object({}) }).attach({ workflow: work });
