import type { Faults } from '../networks/faults.ts';
import type { NetworkPost } from '../networks/network.ts';
import type { Reception } from '../receiver.ts';
import type { ApiAnswer, ClaimableLine } from './api.ts';
import type { Holdings } from './holdings.ts';
import type { NetworkName } from './names.ts';
import type { Records } from './records.ts';
import type { StoryLine } from './story.ts';

/** What an account can claim on each network. */
export type Claimable = Readonly<Record<NetworkName, readonly ClaimableLine[]>>;

/** How the service stands. */
export interface ServiceStanding {
  /** `silent`: its process runs, but it does not answer, or says that it is not ready. */
  readonly state: 'up' | 'restarting' | 'silent' | 'lost';
  /** Of its processes that run. */
  readonly pids: readonly number[];
  /** What it has paused, as `/ready` answers. */
  readonly paused: readonly { readonly platform: string; readonly reason: string; readonly until: string }[];
}

/** A post on one of the networks. */
export interface PostPlace {
  readonly network: NetworkName;
  readonly postId: string;
}

/** A crash of the service, and the posts that waited for an answer meanwhile. */
export interface Crash {
  readonly atStake: readonly PostPlace[];
  /** How long the service took to be back, in milliseconds; null while it is away. */
  readonly backAfterMs: number | null;
}

/** Everything the page shows, as it was seen last. */
export interface World {
  readonly posts: Readonly<Record<NetworkName, readonly NetworkPost[]>>;
  readonly faults: Readonly<Record<NetworkName, Readonly<Faults>>>;
  readonly records: Records;
  /** Null until the chain has answered. */
  readonly holdings: Holdings | null;
  /** What the API answered last, by person and network; nothing for whom it has not answered. */
  readonly claimable: ReadonlyMap<string, Claimable>;
  readonly service: ServiceStanding;
  /** The last crash, or null. */
  readonly crash: Crash | null;
  /** What the API answered to the last start of each gig, by gig id. */
  readonly starts: ReadonlyMap<number, ApiAnswer>;
  /** What the API answered to the last claim by URL, by that URL; null before the first. */
  readonly claim: { readonly url: string; readonly answer: ApiAnswer } | null;
  /** What the receiver of events has taken. */
  readonly reception: Reception;
  readonly story: readonly StoryLine[];
  /** Epoch ms. */
  readonly now: number;
  /** How far the time has been moved on, in ms. */
  readonly aheadMs: number;
}
