declare const sentence: unique symbol;

/**
 * A type that no value has. The SDK uses it in place of the expected type, so that the compiler's message ends with an
 * explanation: `Type '…' is not assignable to type 'Mistake<"…: add transform">'`.
 */
export interface Mistake<Sentence extends string> {
  readonly [sentence]: Sentence;
}
