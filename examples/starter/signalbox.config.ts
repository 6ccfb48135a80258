import { defineConfig } from "signalbox/config";

// All settings are optional. Environment variables take precedence: PORT, SIGNALBOX_BASE_URL, SIGNALBOX_WORKERS, …
export default defineConfig({
  name: "My Signalbox project",
  retentionDays: 30, // removes ended runs and their deliveries; default: they are kept permanently
});
