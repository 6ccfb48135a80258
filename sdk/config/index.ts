export { defineConfig, type ProjectConfig } from "./define-config.ts";
