import { Configuration, NeynarAPIClient } from '@neynar/nodejs-sdk';
import { createFarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import { FARCASTER, NOW } from '../../platforms/setup.ts';
import { send } from './receiver.ts';

/** A local Farcaster with a cast of alice's, Neynar's client for it, and bob and carol, who act. */
export async function openActs() {
  const time = { now: NOW };
  const network = createFarcasterNetwork({ ...FARCASTER, clock: () => time.now });
  for (const [index, username] of ['alice', 'bob', 'carol'].entries()) {
    network.addUser({ id: String(1001 + index), username });
  }
  await network.start();
  const sdk = new NeynarAPIClient(new Configuration({ apiKey: FARCASTER.apiKey, basePath: network.url }));
  const cast = network.post({ author: 'alice', text: 'gm' });
  return {
    time,
    network,
    sdk,
    cast,
    get: (path: string) =>
      send('GET', `${network.url}/v2/farcaster${path}`, undefined, { 'x-api-key': FARCASTER.apiKey }),
    act: (who: string, kind: 'like' | 'unlike' | 'recast' | 'unrecast', at?: number) =>
      network.act({ who, kind, post: cast.id, at }),
    /** A page of so many who like the cast. */
    likes: (limit: number, cursor?: string | null) =>
      sdk.fetchCastReactions({ hash: cast.id, types: ['likes'], limit, ...(cursor && { cursor }) }),
  };
}

export type Acts = Awaited<ReturnType<typeof openActs>>;
