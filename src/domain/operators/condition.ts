export interface ConditionKey<Kind extends string = string> {
  readonly kind: Kind;
  /** The key of a chain, `base endpoint 2`, `gig 42`, the name of a platform in paths, `database`, or `clock`. */
  readonly subject: string;
}

/** Something that is wrong now, the same wherever it is shown. It holds no secret. */
export interface Condition<Kind extends string = string> extends ConditionKey<Kind> {
  readonly gigId: number | null;
  /** A sentence without a full stop at its end. */
  readonly text: string;
  /** What to do: sentences. */
  readonly remedy: string;
}
