/** Connections of this process to the server of the store, for one kind of work. */
export interface PoolStatus {
  readonly name: 'transactions' | 'reads' | 'lookups';
  readonly limit: number;
  readonly open: number;
  /** How many of these do nothing. */
  readonly idle: number;
  /** How much work waits for one. */
  readonly waiting: number;
}

/** A server that follows that of the store. */
export interface Standby {
  /** What it calls itself. */
  readonly name: string;
  /** Whether a commit waits for it; null when this user may not see that. */
  readonly isSynchronous: boolean | null;
}

/** What rests on the host's word alone, or what the server keeps from its user. */
export interface ServerDoubt {
  readonly name: 'durability' | 'identity';
  /** A sentence without a full stop at its end. */
  readonly text: string;
  /** What to do; empty when that is nothing. */
  readonly remedy: string;
}

/** What was found of the server when the store was opened. */
export interface ServerFindings {
  /** Whether the operator says that the storage of the host makes commits last. */
  readonly isKeptByStorage: boolean;
  readonly doubts: readonly ServerDoubt[];
}

/** The server of the store, as its user sees it. */
export interface ServerStatus extends ServerFindings {
  /** How many connections it has, for all databases, and how many it gives to users like this one. */
  readonly connections: { readonly open: number; readonly limit: number };
  /** The setting by which standbys are synchronous; empty when none is. */
  readonly synchronousNames: string;
  /** Backups and copies of single tables are none, as far as this user may see what they are. */
  readonly standbys: readonly Standby[];
  /** The user of the store there. */
  readonly user: string;
}

export type EngineName = 'sqlite' | 'postgres';

export interface EngineStatus {
  readonly engine: EngineName;
  readonly version: string;
  /** Null when the store is a file. */
  readonly server: ServerStatus | null;
}
