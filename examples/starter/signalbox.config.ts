import { defineConfig } from "signalbox/config";

// All of it is optional, and the environment wins over it: PORT, SIGNALBOX_BASE_URL, SIGNALBOX_WORKERS, …
export default defineConfig({
  name: "My Signalbox project",
});
