const actions = new Set<() => void>();

process.once("exit", () => {
  for (const act of actions) act();
});

/** Acts when this process exits, unless the function that it returns was called before. */
export function atExit(act: () => void): () => void {
  actions.add(act);
  return () => void actions.delete(act);
}
