import { expect, it } from "vitest";
import { appRouter } from "../../server/trpc/router.ts";
import { topics, topicsOf } from "./topics.ts";

const queries = Object.entries(appRouter._def.procedures).flatMap(([path, procedure]) => {
  const { type } = Reflect.get(Object(procedure), "_def") as { type: string };
  return type === "query" ? [path] : [];
});

/** What a page reads once, on request, or with a feed of its own. */
const notLive = [
  "access",
  "account.sessions",
  "builds.list",
  "deliveries.compare",
  "invitations.list",
  "keys.list",
  "people.list",
  "people.sessions",
  "runs.simulate",
  "runs.step",
  "runs.timeline",
  "search",
  "targets.recentInputs",
  "triggers.backtest",
  "triggers.drift",
  "triggers.infer",
  "triggers.url",
];

it("every query of the app has topics, or is known not to be live", () => {
  expect(Object.keys(topics).filter((path) => !queries.includes(path))).toEqual([]);
  expect(queries.filter((path) => !Object.hasOwn(topics, path)).toSorted()).toEqual(notLive);
});

it("a query of one run has the topic of that run", () => {
  const key = [["runs", "get"], { input: { id: "run_1" }, type: "query" }];
  expect(topicsOf(key)).toEqual(["run:run_1"]);
  expect(topicsOf([["account", "sessions"], { type: "query" }])).toEqual([]);
});
