/** The first of a list that has one. */
export function firstOf<T>([first]: readonly T[]): T {
  if (first === undefined) throw new Error('there is none');
  return first;
}
