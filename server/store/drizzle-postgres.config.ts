import { defineConfig } from "drizzle-kit";

// Paths are relative to the repository: npx drizzle-kit generate --config server/store/drizzle-postgres.config.ts
export default defineConfig({
  dialect: "postgresql",
  schema: "./server/store/postgres/schema.ts",
  out: "./drizzle/postgres",
});
