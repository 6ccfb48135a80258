import { defineConfig } from "drizzle-kit";

// Paths are relative to the repository: npx drizzle-kit generate --config server/store/drizzle.config.ts
export default defineConfig({
  dialect: "sqlite",
  schema: "./server/store/sqlite/schema.ts",
  out: "./drizzle/sqlite",
});
