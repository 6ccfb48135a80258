const browsers = [
  ["Firefox", /firefox\//i],
  ["Edge", /edg\//i],
  ["Chrome", /chrom(e|ium)\//i],
  ["Safari", /safari\//i],
] as const;

const systems = [
  ["Android", /android/i],
  ["iOS", /iphone|ipad/i],
  ["macOS", /mac os/i],
  ["Windows", /windows/i],
  ["Linux", /linux/i],
] as const;

/** A readable name of a browser: "Firefox on Linux". */
export function deviceName(userAgent: string | null): string {
  if (userAgent === null) return "Unknown device";
  const find = (table: readonly (readonly [string, RegExp])[]) =>
    table.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const [browser, system] = [find(browsers), find(systems)];
  if (browser === undefined) return userAgent.slice(0, 40);
  return system === undefined ? browser : `${browser} on ${system}`;
}
