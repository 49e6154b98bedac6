type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;
/** The fields of an object with camel-case names. */
export type CamelKeys<Fields> = { [Name in keyof Fields as Camel<Name & string>]: Fields[Name] };

/** Converts the field names of a request to camel case: `token_address` becomes `tokenAddress`. */
export function camelKeys<Fields extends object>(fields: Fields): CamelKeys<Fields> {
  const named = Object.entries(fields).map(([name, value]) => [
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(named) as CamelKeys<Fields>; // the type says for names what the pattern does
}
