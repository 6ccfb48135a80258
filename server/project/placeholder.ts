/** Of a secret, such as `whsec_`: a placeholder keeps it. */
export const placeholderPrefix = "[A-Za-z]{2,12}[_-]";

/** A string of the same length that is not the secret. A prefix such as `whsec_` stays. */
export function placeholderFor(value: string): string {
  const start = new RegExp(`^${placeholderPrefix}`).exec(value)?.[0] ?? "";
  return start + value.slice(start.length).replaceAll(/[a-z]/g, "a").replaceAll(/[A-Z]/g, "A").replaceAll(/\d/g, "0");
}
