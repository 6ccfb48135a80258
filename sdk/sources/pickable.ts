/**
 * `Path` if it names a value of `Payload`. Otherwise the paths that are possible where it goes wrong, so that the
 * compiler and the editor suggest one. Names are joined by dots; `labels[].name` is the name of every label.
 */
export type PickablePath<
  Payload,
  Path extends string,
  Before extends string = "",
> = Path extends `${infer Name}.${infer Rest}`
  ? ChildOf<Payload, Name> extends infer Child
    ? [Child] extends [never]
      ? PathsAt<Payload, Before>
      : PickablePath<Child, Rest, `${Before}${Name}.`>
    : never
  : Path extends LeafOf<Payload>
    ? `${Before}${Path}`
    : PathsAt<Payload, Before>;

/** The part of a payload at the picked paths. */
export type Picked<Payload, Path extends string> = Payload extends object
  ? {
      [Name in keyof Payload as Name extends HeadOf<Path> ? Name : never]: PickedValue<
        Payload[Name],
        TailOf<Path, Name>
      >;
    }
  : Payload;

type PickedValue<Value, Path extends string> = [Path] extends [never]
  ? Value
  : Value extends readonly (infer Item)[]
    ? Picked<Item, Path>[]
    : Picked<Value, Path>;

type HeadOf<Path extends string> = Path extends `${infer Name}.${string}` ? WithoutBrackets<Name> : Path;

type TailOf<Path extends string, Name> = Path extends `${infer Head}.${infer Rest}`
  ? WithoutBrackets<Head> extends Name
    ? Rest
    : never
  : never;

type WithoutBrackets<Name extends string> = Name extends `${infer List}[]` ? List : Name;

/** Objects with named fields have paths below them. */
type IsNested<Value> = unknown extends Value
  ? false
  : Value extends readonly unknown[]
    ? false
    : Value extends object
      ? string extends keyof Value
        ? false
        : true
      : false;

type Present<Value> = Exclude<Value, null | undefined>;

/** The object or the item of the array with this name; `never`: there is none. */
type ChildOf<Payload, Name extends string> = Name extends `${infer List}[]`
  ? List extends keyof Payload
    ? ObjectIn<ItemOf<Payload[List]>>
    : never
  : Name extends keyof Payload
    ? ObjectIn<Payload[Name]>
    : never;

type ObjectIn<Value> =
  Present<Value> extends infer Some
    ? Some extends unknown
      ? IsNested<Some> extends true
        ? Some
        : never
      : never
    : never;

type ItemOf<Value> = Present<Value> extends readonly (infer Item)[] ? Item : never;

type LeafOf<Payload> = {
  [Name in keyof Payload & string]-?: [ObjectIn<Payload[Name]>] extends [never]
    ? [ObjectIn<ItemOf<Payload[Name]>>] extends [never]
      ? Name
      : never
    : never;
}[keyof Payload & string];

type PathsAt<Payload, Before extends string> = {
  [Name in keyof Payload & string]-?: [ObjectIn<Payload[Name]>] extends [never]
    ? [ObjectIn<ItemOf<Payload[Name]>>] extends [never]
      ? `${Before}${Name}`
      : `${Before}${Name}[].${LeafOf<ObjectIn<ItemOf<Payload[Name]>>>}`
    : `${Before}${Name}.${LeafOf<ObjectIn<Payload[Name]>>}`;
}[keyof Payload & string];
