import { defineConfig } from "signalbox/config";

export default defineConfig({ port: 4000, workers: 2 });
