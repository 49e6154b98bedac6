/** What the methods of a noun are called. */
export interface MethodNames {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** Those of all nouns, in their order. The bundler puts them in the place of this module, so that a process need not make all. */
export const METHOD_NAMES: readonly MethodNames[] = [];
