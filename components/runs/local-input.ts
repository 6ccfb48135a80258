/** A time as the value of `<input type="datetime-local">`: the reader's time zone, to the second. Empty: no valid time. */
export function localInputOf(moment: string | null): string {
  const ms = moment === null ? Number.NaN : Date.parse(moment);
  if (Number.isNaN(ms)) return "";
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** The time of such an input in ISO 8601. */
export function momentOfInput(value: string): string | null {
  const ms = Date.parse(value);
  return value === "" || Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
