const actions = new Set<() => void>();

process.once("exit", () => {
  for (const act of actions) act();
});

/** Calls the function when this process exits, unless the returned function was called before. */
export function atExit(act: () => void): () => void {
  actions.add(act);
  return () => void actions.delete(act);
}
