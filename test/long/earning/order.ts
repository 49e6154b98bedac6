/** What a child is told: its database and its state of the world, and when to die. */
export interface Order {
  readonly databasePath: string;
  readonly migrationsFolder: string;
  readonly gigId: number;
  /** Epoch milliseconds at which its clock begins. */
  readonly from: number;
  /** Counted from 1; null to live on. */
  readonly stop: { readonly commit: number; readonly when: 'before' | 'after' } | null;
}
