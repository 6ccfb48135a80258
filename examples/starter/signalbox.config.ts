import { defineConfig } from "signalbox/config";

// All of it is optional, and the environment wins over it: PORT, SIGNALBOX_BASE_URL, SIGNALBOX_WORKERS, …
export default defineConfig({
  name: "My Signalbox project",
  retentionDays: 30, // ended runs and their deliveries; without it they are kept for ever
});
