/** Whether a model is none: a provider of this name answers from a script, so that a project can be tried without a key. */
export function isScriptedModel({ provider }: { provider: string }): boolean {
  return provider === "scripted-model" || provider.startsWith("scripted-model.");
}
