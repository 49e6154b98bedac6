import type { EventEmitter } from 'node:events';
import type { Platform } from '../../src/domain/account.ts';
import type { LocalChain, LocalToken } from '../chain.ts';
import type { SandboxClock } from '../clock.ts';
import type { FarcasterNetwork } from '../networks/farcaster.ts';
import type { NetworkEvent, SocialNetwork } from '../networks/network.ts';
import type { SignInPlaces } from '../owners/sign-in.ts';
import type { Receiver, ReceiverEvent } from '../receiver.ts';
import type { ServiceEvent, ServiceProcess } from '../service.ts';
import type { VerifierEvent } from '../verifier.ts';

/** The two networks in the page's own addresses and ids. */
export const NETWORKS = ['farcaster', 'x'] as const;
export type NetworkName = (typeof NETWORKS)[number];
export const TITLES = { farcaster: 'Farcaster', x: 'X' } as const;
/** What the store calls a network. */
export const PLATFORM_OF = { farcaster: 'farcaster', x: 'twitter' } as const satisfies Record<NetworkName, Platform>;

/** A post on one of the networks. */
export type PostPlace = { readonly network: NetworkName; readonly postId: string };

/** Passes what happens in the sandbox to observers, which are added later. */
export type Happenings = EventEmitter<{
  network: [name: NetworkName, event: NetworkEvent];
  service: [event: ServiceEvent];
  verifier: [event: VerifierEvent];
  receiver: [event: ReceiverEvent];
}>;

/** The parts of a sandbox that its page shows and drives. */
export interface Parts {
  readonly networks: { readonly farcaster: FarcasterNetwork; readonly x: SocialNetwork };
  readonly chain: LocalChain;
  readonly places: SignInPlaces & { readonly chain: string; readonly verifier: string };
  /** The path of the service's file, or the URL of its database on PostgreSQL. */
  readonly database: string;
  readonly service: Pick<ServiceProcess, 'pids' | 'crash' | 'whileStopped'>;
  readonly receiver: Pick<Receiver, 'takeDown' | 'seen'>;
  readonly instances: number;
  readonly apiKey: string;
  readonly tokens: readonly LocalToken[];
  readonly logFile: string;
  readonly happenings: Happenings;
  /** Moving on resolves when the service and the chain have the new time, too. */
  readonly time: Pick<SandboxClock, 'now' | 'ahead'> & { moveOn(ms: number): Promise<void> };
}
