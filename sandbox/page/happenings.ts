import type { NetworkEvent } from '../networks/network.ts';
import type { ReceiverEvent } from '../receiver.ts';
import type { ServiceEvent } from '../service.ts';
import type { VerifierEvent } from '../verifier.ts';
import type { NetworkName } from './names.ts';

/** A listener for what happens in the sandbox. */
export interface Onlooker {
  network?(name: NetworkName, event: NetworkEvent): void;
  service?(event: ServiceEvent): void;
  verifier?(event: VerifierEvent): void;
  receiver?(event: ReceiverEvent): void;
}

/** Passes events of the networks, the service, the verifier and the receiver to observers, which are added later. */
export interface Happenings {
  /** What a network is to tell its events to. */
  ofNetwork(name: NetworkName): (event: NetworkEvent) => void;
  /** What the service's process is to tell its events to. */
  ofService(event: ServiceEvent): void;
  /** What the verifier of bounties is to tell its events to. */
  ofVerifier(event: VerifierEvent): void;
  /** What the receiver of events is to tell its own to. */
  ofReceiver(event: ReceiverEvent): void;
  /** What it answers ends it. */
  lookOn(onlooker: Onlooker): () => void;
}

/** Creates one without listeners. */
export function createHappenings(): Happenings {
  const onlookers = new Set<Onlooker>();
  return {
    ofNetwork: (name) => (event) => {
      for (const onlooker of [...onlookers]) onlooker.network?.(name, event);
    },
    ofService: (event) => {
      for (const onlooker of [...onlookers]) onlooker.service?.(event);
    },
    ofVerifier: (event) => {
      for (const onlooker of [...onlookers]) onlooker.verifier?.(event);
    },
    ofReceiver: (event) => {
      for (const onlooker of [...onlookers]) onlooker.receiver?.(event);
    },
    lookOn: (onlooker) => {
      onlookers.add(onlooker);
      return () => onlookers.delete(onlooker);
    },
  };
}
