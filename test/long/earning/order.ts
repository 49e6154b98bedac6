/** When a child dies: at which of its commits, counted from 1, and on which side of it. */
export interface Stop {
  readonly commit: number;
  readonly when: 'before' | 'after';
}

/** What a child is told: its database and its state of the world, and when to die. */
export interface Order {
  /** What people do; `./child.ts` has it. */
  readonly play: 'replies' | 'raffle' | 'bounty';
  readonly databasePath: string;
  readonly migrationsFolder: string;
  readonly gigId: number;
  /** Epoch milliseconds at which its clock begins. */
  readonly from: number;
  /** Null to live on. */
  readonly stop: Stop | null;
  /** The origin at which a bounty is decided about, and the key that signs; null for other gigs. */
  readonly verifier: { readonly origin: string; readonly signingKey: string } | null;
}

/** What a child that has lived on says at last. */
export interface Life {
  readonly commits: number;
  /** The commits after which something else was decided than before. */
  readonly turns: readonly number[];
}
