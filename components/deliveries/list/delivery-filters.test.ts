import { createLoader } from "nuqs/server";
import { expect, it } from "vitest";
import {
  activeFilters,
  deliveryFilterParsers,
  histogramInput,
  type DeliveryFilters,
  listInput,
  releaseInput,
  withoutFilter,
} from "./delivery-filters.ts";

const noFilters = createLoader(deliveryFilterParsers)({}) satisfies DeliveryFilters;

const now = Date.parse("2026-11-21T12:00:00.000Z");
const anyTime = { window: null, now };
const lastHour = { window: "1h" as const, now };

it("every active filter has a label", () => {
  const filters = {
    endpoint: "billing",
    outcome: "skipped",
    status: 200,
    trigger: "paid",
    verdict: "filter_mismatch",
    redeliveryOf: "dlv_1",
    since: "2026-11-21T10:00:00.000Z",
    until: "2026-11-21T10:02:30.000Z",
    text: 'a"b',
  } as const;
  expect(activeFilters(filters).map(({ label }) => label)).toEqual([
    "endpoint billing",
    "skipped",
    "status 200",
    "trigger paid",
    "filter mismatch",
    "redeliveries of dlv_1",
    "since 2026-11-21 10:00 UTC",
    "before 2026-11-21 10:02:30.000 UTC",
    'contains “a"b”',
  ]);
});

it("an unset filter has no label", () => {
  expect(activeFilters({ ...noFilters, verdict: "matched", text: "" })).toEqual([]);
});

it("removing the trigger filter removes the verdict filter", () => {
  expect(withoutFilter("trigger")).toEqual({ trigger: null, verdict: null });
  expect(withoutFilter("text")).toEqual({ text: null });
});

it("only active filters are sent", () => {
  expect(listInput(noFilters, anyTime)).toEqual({ limit: 50 });
  expect(listInput({ ...noFilters, endpoint: "billing", text: "ada", status: 422 }, anyTime)).toEqual({
    endpoint: "billing",
    text: "ada",
    status: 422,
    limit: 50,
  });
});

it("a verdict without a trigger and an empty text are not sent; an invalid status is, and the server rejects it", () => {
  expect(listInput({ ...noFilters, verdict: "stopped", text: "" }, anyTime)).toEqual({ limit: 50 });
  expect(listInput({ ...noFilters, status: 7 }, anyTime)).toEqual({ status: 7, limit: 50 });
  expect(listInput({ ...noFilters, text: "x".repeat(300) }, anyTime).text).toHaveLength(200);
});

it.each(["2026-11-21T10:00:00+01:00", "2026-11-21", "soon", "2026/11/21", "9999999999"])(
  "the time %j in the URL is sent as it is, so that the server accepts or rejects it, and has its chip",
  (time) => {
    const filters = { ...noFilters, since: deliveryFilterParsers.since.parse(time) };
    expect(listInput(filters, lastHour).since).toBe(time);
    expect(activeFilters(filters)).toHaveLength(1);
    expect(() => histogramInput(filters, lastHour)).not.toThrow();
  },
);

it("the list has the deliveries of the window, or those of an exact range", () => {
  expect(listInput(noFilters, lastHour)).toEqual({ since: "2026-11-21T11:00:00.000Z", limit: 50 });
  const range = { since: "2026-11-21T11:20:00.000Z", until: "2026-11-21T11:30:00.000Z" };
  expect(listInput({ ...noFilters, ...range }, lastHour)).toEqual({ ...range, limit: 50 });
  expect(histogramInput(noFilters, anyTime)).toEqual({ window: "7d" });
});

it("a bulk release has the deliveries of the list, with its window, or names the filters that it does not have", () => {
  const held: DeliveryFilters = { ...noFilters, outcome: "held", endpoint: "billing" };
  const inWindow = { endpoint: "billing", since: "2026-11-21T11:00:00.000Z" };
  expect(releaseInput(held, lastHour)).toEqual({ filter: inWindow, others: [] });
  expect(releaseInput({ ...held, redeliveryOf: "dlv_1", text: "ada" }, anyTime).others).toEqual([
    "redeliveryOf",
    "text",
  ]);
});

it("the histogram shows the window that ends now, if the selected range is within it", () => {
  expect(histogramInput(noFilters, lastHour)).toEqual({ window: "1h" });
  expect(
    histogramInput(
      {
        ...noFilters,
        endpoint: "billing",
        since: "2026-11-21T11:20:00.000Z",
        until: "2026-11-21T11:30:00.000Z",
      },
      lastHour,
    ),
  ).toEqual({ endpoint: "billing", window: "1h" });
});

it("the histogram has the same filters as the list", () => {
  const filters = {
    ...noFilters,
    endpoint: "billing",
    trigger: "paid",
    verdict: "stopped" as const,
    status: 202,
    text: "ada",
  };
  const { limit: _, ...listed } = listInput(filters, anyTime);
  expect(histogramInput(filters, { window: "24h", now })).toEqual({ ...listed, window: "24h" });
});

it("an earlier range is shown with a margin of half its length", () => {
  expect(
    histogramInput({ ...noFilters, since: "2026-11-20T10:00:00.000Z", until: "2026-11-20T12:00:00.000Z" }, lastHour),
  ).toEqual({
    since: "2026-11-20T09:00:00.000Z",
    until: "2026-11-20T13:00:00.000Z",
  });
  expect(histogramInput({ ...noFilters, since: "2026-11-20T10:00:00.000Z" }, lastHour)).toEqual({
    since: "2026-11-20T10:00:00.000Z",
  });
  expect(histogramInput({ ...noFilters, until: "2026-11-20T10:00:00.000Z" }, lastHour)).toEqual({
    since: "2026-11-20T08:30:00.000Z",
    until: "2026-11-20T10:30:00.000Z",
  });
});
