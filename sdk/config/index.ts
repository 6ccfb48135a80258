export { defineConfig, type AlertOptions, type ProjectConfig } from "./define-config.ts";
