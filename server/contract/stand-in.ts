/** Whether a model is none: a provider of this name answers from a script, so that a project can be tried without a key. */
export function isStandIn({ provider }: { provider: string }): boolean {
  return provider === "stand-in" || provider.startsWith("stand-in.");
}
