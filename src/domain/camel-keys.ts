type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;
export type CamelKeys<Fields> = { [Name in keyof Fields as Camel<Name & string>]: Fields[Name] };

/** The names of all requests' fields are few, and a batch has them 500 times. */
const known = new Map<string, string>();

function camelOf(name: string): string {
  const made = known.get(name) ?? name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  known.set(name, made);
  return made;
}

/** Converts the field names of a request to camel case: `token_address` becomes `tokenAddress`. */
export function camelKeys<Fields extends object>(fields: Fields): CamelKeys<Fields> {
  const named = Object.entries(fields).map(([name, value]) => [camelOf(name), value]);
  return Object.fromEntries(named) as CamelKeys<Fields>; // the type says for names what the pattern does
}
