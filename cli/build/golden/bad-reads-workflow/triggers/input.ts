import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "input",
  endpoint: "input",
  request: work.input,
}).attach({ workflow: work });
