/**
 * Gives stored results back in the order in which they were first had. Calls made in one go (`Promise.race` of a step
 * and a sleep) must be decided the same way when the code runs again, so they are gathered for one turn of the event
 * loop, and then answered one by one.
 */
export function createOrderedResults(): { give<T>(result: T, finishedAt: number): Promise<T> } {
  const waiting: { finishedAt: number; resolve: () => void }[] = [];
  let isPlanned = false;

  function giveNext(): void {
    waiting.sort((a, b) => a.finishedAt - b.finishedAt);
    const next = waiting.shift();
    isPlanned = waiting.length > 0;
    if (isPlanned) setImmediate(giveNext);
    next?.resolve();
  }

  return {
    give: (result, finishedAt) =>
      new Promise((resolve) => {
        waiting.push({ finishedAt, resolve: () => resolve(result) });
        if (isPlanned) return;
        isPlanned = true;
        setImmediate(giveNext);
      }),
  };
}
