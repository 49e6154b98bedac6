/** A page of a list: newest first, rows with an id below `before`. */
export interface Page {
  readonly limit: number;
  readonly before?: number | undefined;
}

/** A page of a list that goes both ways: with `after` the oldest first, rows with an id above it. */
export interface TwoWayPage extends Page {
  readonly after?: number | undefined;
}
