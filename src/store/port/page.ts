/** A page of a list: newest first, rows with an id below `before`. */
export interface Page {
  readonly limit: number;
  readonly before?: number | undefined;
}
