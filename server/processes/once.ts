/** Does it the first time only, also where doing it asks for it again. */
export function once<A extends unknown[]>(action: (...args: A) => void): (...args: A) => void {
  let isDone = false;
  return (...args) => {
    if (isDone) return;
    isDone = true;
    action(...args);
  };
}
