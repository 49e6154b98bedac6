import type { Chain } from '../domain/chains/chain.ts';
import { AdapterError } from '../domain/errors.ts';
import { BroadcastRefused } from '../domain/payments/payer-chain.ts';
import { inParallel } from './in-parallel.ts';
import { EndpointForgetful, isOfEndpoint } from './rpc/fault.ts';

/** Signed bytes on their way to the endpoints of a chain. */
export interface Offering<Site> {
  readonly hash: string;
  /** Whether the same bytes, or others with their nonce, were offered before. */
  readonly again: boolean;
  broadcast(site: Site): Promise<void>;
  /** Whether an endpoint has the transaction, in a block or waiting for one. */
  isKnown(site: Site): Promise<boolean>;
}

/** Logs that one endpoint has failed, and another is asked. */
export type TellNext = (message: string, step: { place: number; next: number; error: unknown }) => void;

/** The pool that hands out the endpoints, each by its place from 0. */
export interface Offerers {
  readonly chain: Chain;
  siteAt<Site>(sites: readonly Site[], place: number): Site;
  /** The endpoints that may take bytes, in the order in which they are asked. */
  inTurn(): Promise<readonly number[]>;
  /** The endpoints to which bytes are offered again, all at once. */
  together(): Promise<readonly number[]>;
  note(place: number, error: AdapterError): void;
  readonly tellNext: TellNext;
}

/** How much a failed broadcast leaves open: the bytes may have been taken, were refused, or were not read. */
function doubtOf(error: AdapterError): number {
  const isOpen = error.retry === 'unknown' ? 1 : 0;
  if (error instanceof BroadcastRefused) return 1 + isOpen;
  return isOpen * 3;
}

/** Offers signed bytes to the endpoints of a chain: see `offer` of the pool. */
export function createOffers({ chain, siteAt, inTurn, together, note, tellNext }: Offerers) {
  /** Which endpoints took the last transaction. */
  let taken: { readonly hash: string; readonly places: Set<number> } = { hash: '', places: new Set() };

  /** Null when it takes the bytes. */
  async function offerAt<Site>(sites: readonly Site[], place: number, { hash, broadcast }: Offering<Site>) {
    try {
      await broadcast(siteAt(sites, place));
      if (taken.hash !== hash) taken = { hash, places: new Set() };
      taken.places.add(place);
      return null;
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      if (isOfEndpoint(error)) note(place, error);
      return error;
    }
  }

  /** An endpoint that took the bytes must know them: some accept transactions and pass none on. */
  async function noteForgetful<Site>(sites: readonly Site[], { hash, isKnown }: Offering<Site>): Promise<void> {
    const takers = taken.hash === hash ? [...taken.places] : [];
    await inParallel(takers, takers.length, async (place) => {
      // One that does not answer is noted by what is asked next.
      if (await isKnown(siteAt(sites, place)).catch(() => true)) return;
      const message = `chain ${chain.key}: the endpoint took transaction ${hash}, and does not know it`;
      note(place, new EndpointForgetful({ retry: 'safe', reason: 'bad_response', message }));
    });
  }

  async function offerToAll<Site>(sites: readonly Site[], offering: Offering<Site>): Promise<(AdapterError | null)[]> {
    await noteForgetful(sites, offering);
    const places = await together();
    return await inParallel(places, places.length, (place) => offerAt(sites, place, offering));
  }

  async function offerInTurn<Site>(sites: readonly Site[], offering: Offering<Site>): Promise<(AdapterError | null)[]> {
    const places = await inTurn();
    const errors: AdapterError[] = [];
    for (const [index, place] of places.entries()) {
      const error = await offerAt(sites, place, offering);
      if (error === null) return [null];
      errors.push(error);
      const next = places[index + 1];
      if (next !== undefined) tellNext('endpoint did not take a transaction; another is asked', { place, next, error });
    }
    return errors;
  }

  return async <Site>(sites: readonly Site[], offering: Offering<Site>): Promise<void> => {
    const toAll = offering.again ? await offerToAll(sites, offering) : [];
    const answers = toAll.length > 0 ? toAll : await offerInTurn(sites, offering);
    if (answers.includes(null)) return;
    const [most] = answers.filter((error) => error !== null).sort((a, b) => doubtOf(b) - doubtOf(a));
    throw most ?? new RangeError(`chain ${chain.key} has no endpoint`);
  };
}
