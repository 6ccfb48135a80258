import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";
import { deep } from "@/lib/deep";
import { flat } from "#flat";

export default defineWebhookSource({ slug: "a", endpoint: "a", request: z.object({ deep, flat }) }).attach({ workflow: work });
