/** `true` only where both types are the same, not merely assignable. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** A type test: does not compile for anything but `true`. */
export function expectTrue<_Result extends true>(): void {}
