/** Calls `action` the first time only, also if the action calls the returned function. */
export function once<A extends unknown[]>(action: (...args: A) => void): (...args: A) => void {
  let isDone = false;
  return (...args) => {
    if (isDone) return;
    isDone = true;
    action(...args);
  };
}
