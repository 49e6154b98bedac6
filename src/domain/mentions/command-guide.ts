export interface CommandGuide {
  /** What to post after the bot's name, with 42 for the number of a gig. */
  readonly say: string;
  readonly who: 'anyone' | 'an owner of the gig';
  /** A sentence. */
  readonly does: string;
}
