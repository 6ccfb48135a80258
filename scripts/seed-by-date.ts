/**
 * The seed of the day, e.g. 20260314, so that a failure can be repeated the same day. The environment variable repeats
 * another day's.
 */
export function seedByDate(variable: "AUDIT_SEED" | "PROPERTY_SEED"): number {
  return Number(process.env[variable] ?? new Date().toISOString().slice(0, 10).replaceAll("-", ""));
}
