import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { wrong } from "../lib/lib";
import work, { absent } from "../workflows/work";

export default defineWebhookSource({ slug: "a", endpoint: "a", request: z.unknown() }).attach({ workflow: work, transform: () => [wrong, absent] });
