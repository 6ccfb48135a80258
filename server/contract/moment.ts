import { z } from "zod";

/** A moment in ISO 8601, or a day, which begins in UTC. */
export const momentSchema = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: "Must be an ISO 8601 time, e.g. 2026-11-21T10:00:00Z",
});

/** UTC milliseconds of a moment. */
export function momentMs(moment: string): number;
export function momentMs(moment: string | undefined): number | undefined;
export function momentMs(moment: string | undefined): number | undefined {
  return moment === undefined ? undefined : Date.parse(moment);
}
