import { defineWebhookSource } from "signalbox/trigger";
import { early } from "../lib/early";
import work from "../workflows/work";

export default defineWebhookSource({ slug: "early", endpoint: "early", request: early }).attach({ workflow: work });
