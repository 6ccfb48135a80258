import type { CompileError, DeepReadonly, SchemaInput } from "../schema.ts";

/** `unknown` if a schema can describe request headers; otherwise a `CompileError` that names the first field at fault. */
export type ValidHeaders<Headers> = [MisnamedHeader<SchemaInput<Headers>>] extends [never]
  ? [MistypedField<SchemaInput<Headers>>] extends [never]
    ? unknown
    : CompileError<`The header ${MistypedField<SchemaInput<Headers>>} is a string, or an array of strings if it is repeated: convert it in transform`>
  : CompileError<`Write ${MisnamedHeader<SchemaInput<Headers>>} in lower case: names of headers are in lower case`>;

/** Of a union, the fields of every member. */
type MisnamedHeader<Fields> = Fields extends unknown
  ? {
      [Name in keyof Fields & string]: string extends Name ? never : Name extends Lowercase<Name> ? never : Name;
    }[keyof Fields & string]
  : never;

type MistypedField<Fields> = Fields extends unknown
  ? {
      [Name in keyof Fields & string]-?: string extends Name
        ? never
        : [Extract<Fields[Name], string | readonly string[]>] extends [never]
          ? Name
          : never;
    }[keyof Fields & string]
  : never;

/** `unknown` if a schema can describe a query; otherwise a `CompileError` that names the first field at fault. */
export type ValidQuery<Query> = [MistypedField<SchemaInput<Query>>] extends [never]
  ? unknown
  : CompileError<`The parameter ${MistypedField<SchemaInput<Query>>} is a string, or an array of strings if it is repeated: convert it in transform`>;

/**
 * The second argument of `transform`: the request that started the run. `Headers` and `Query` are the output types of
 * `headers` and `query`.
 */
export interface TransformContext<Headers = {}, Query = {}> {
  /**
   * The first value of each request header, by lower-case name; those that `headers` names as parsed by it. Credentials
   * and signatures are missing (`authorization`, cookies, names with `signature`, `token`, `secret` or `api-key`).
   * Empty if no webhook started the run, or if retention has removed the delivery.
   */
  readonly headers: RequestFields<Headers>;
  /**
   * The parameters of the URL by name, those that `query` names as parsed by it; a repeated one has an array of its
   * values. Keys, credentials and signatures are missing (names with `signature`, `token`, `secret` or `key`). Empty
   * for a GET, whose body they are, if no webhook started the run, or if retention has removed the delivery.
   */
  readonly query: RequestFields<Query>;
  /** Id of the delivery, `dlv_…`; of a replay, that of the replayed run; `null` if no webhook started the run. */
  readonly deliveryId: string | null;
  /** Time at which the request was received, or the run was created: ISO 8601 in UTC. */
  readonly receivedAt: string;
  /** The endpoint of the source, e.g. `"signup"`. */
  readonly endpoint: string;
}

export type RequestFields<Fields> = {
  readonly [Name in keyof Fields]?: DeepReadonly<Fields[Name]>;
} & { readonly [name: string]: string | readonly string[] | undefined };
