import { expect, it } from "vitest";
import { readSettings } from "../config.ts";
import { describeStore } from "./describe-store.ts";

const describeOf = (env: NodeJS.ProcessEnv, mode: "development" | "deployed" = "deployed", fromProject = {}) =>
  describeStore(readSettings({ projectDir: "/srv/hooks", mode, fromProject, env }), env);

it.each([
  [{}, "SQLite .signalbox/signalbox.db"],
  [{ SIGNALBOX_DATABASE_URL: "file:data/s.db" }, "SQLite data/s.db"],
  [{ SIGNALBOX_DATABASE_URL: "file:///data/s.db" }, "SQLite /data/s.db"],
  [{ SIGNALBOX_DATABASE_URL: "file:../s.db" }, "SQLite /srv/s.db"],
  [{ SIGNALBOX_DATABASE_URL: "postgres://u:hunter2@db.internal/x" }, "Postgres db.internal/x, schema signalbox"],
  [{ SIGNALBOX_DATABASE_URL: "postgres://u:p%40@db:6432/x?sslmode=require" }, "Postgres db:6432/x, schema signalbox"],
  [
    { SIGNALBOX_DATABASE_URL: "postgresql:///x?host=/tmp&user=u&password=hunter2" },
    "Postgres /tmp/x, schema signalbox",
  ],
  [{ SIGNALBOX_DATABASE_URL: "postgres:///x" }, "Postgres localhost/x, schema signalbox"],
  [{ SIGNALBOX_DATABASE_URL: "postgres://u@[::1]:5432/x" }, "Postgres [::1]:5432/x, schema signalbox"],
])("of %j is named: %s", (env, text) => {
  expect(describeOf(env)).toBe(text);
});

it.each(["postgres://app:hunter2@db/app", "postgresql://db/app", "postgres:app"])(
  "a deployed service with the default store says that it does not read DATABASE_URL=%s",
  (url) => {
    expect(describeOf({ DATABASE_URL: url })).toBe(
      "SQLite .signalbox/signalbox.db (DATABASE_URL is not read; SIGNALBOX_DATABASE_URL selects a Postgres)",
    );
  },
);

it("an application's DATABASE_URL is not mentioned in development, for other databases, or beside a chosen store", () => {
  const DATABASE_URL = "postgres://app@db/app";
  expect(describeOf({ DATABASE_URL }, "development")).toBe("SQLite .signalbox/signalbox.db");
  expect(describeOf({ DATABASE_URL: "mysql://app@db/app" })).toBe("SQLite .signalbox/signalbox.db");
  expect(describeOf({ DATABASE_URL, SIGNALBOX_DATABASE_URL: "file:s.db" })).toBe("SQLite s.db");
  expect(describeOf({ DATABASE_URL }, "deployed", { databaseUrl: "file:s.db" })).toBe("SQLite s.db");
});
