import type { NetworkEvent } from '../networks/network.ts';
import type { ServiceEvent } from '../service.ts';
import type { NetworkName } from './names.ts';

/** Somebody who wants to know what happens in the sandbox. */
export interface Onlooker {
  network?(name: NetworkName, event: NetworkEvent): void;
  service?(event: ServiceEvent): void;
}

/** Carries what networks and service tell to whoever looks on; they exist before anybody does. */
export interface Happenings {
  /** What a network is to tell its events to. */
  ofNetwork(name: NetworkName): (event: NetworkEvent) => void;
  /** What the service's process is to tell its events to. */
  ofService(event: ServiceEvent): void;
  /** What it answers ends it. */
  lookOn(onlooker: Onlooker): () => void;
}

/** Nobody looks on yet. */
export function createHappenings(): Happenings {
  const onlookers = new Set<Onlooker>();
  return {
    ofNetwork: (name) => (event) => {
      for (const onlooker of [...onlookers]) onlooker.network?.(name, event);
    },
    ofService: (event) => {
      for (const onlooker of [...onlookers]) onlooker.service?.(event);
    },
    lookOn: (onlooker) => {
      onlookers.add(onlooker);
      return () => onlookers.delete(onlooker);
    },
  };
}
