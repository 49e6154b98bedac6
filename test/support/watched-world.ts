import { expect } from 'vitest';
import { createLocalChain } from '../../sandbox/chain.ts';
import { MNEMONIC, TREASURY } from '../../sandbox/people.ts';
import { USUAL_SCOPES } from '../../src/domain/operators/actor.ts';
import { anvilClients, deployToken, freshAddress, mined, startAnvil, tokenBalance } from './anvil.ts';
import { ask, createApiClient, newApiKey } from './clients.ts';
import { openWorld } from './world.ts';

const DAY_MS = 86_400_000;

/** Somebody on Farcaster who passes the default gates unless said otherwise. */
export interface NewPerson {
  readonly score?: number;
  readonly age?: number;
  readonly followers?: number;
}

interface Created {
  gig_id: number;
  gig_token_address: `0x${string}`;
  tx_data: `0x${string}`;
}

interface Claimable {
  data: Record<string, { totalValue: number }>;
}

/** A service that watches gigs for one client, on a chain of its own; the time of both can be moved on. */
export async function openWatchedWorld({
  env = {},
  elapsed,
}: {
  env?: Record<string, string>;
  elapsed?: () => number;
} = {}) {
  const anvil = await startAnvil();
  await createLocalChain({ url: anvil.url, mnemonic: MNEMONIC }).deployPayer();
  const chain = anvilClients(anvil.url);
  const token = await deployToken({ decimals: 6, symbol: 'USDC' }, anvil.url);
  let ahead = 0;
  const clock = () => Date.now() + ahead;
  const world = await openWorld({
    clock,
    ...(elapsed && { elapsed }),
    env: { EARNING_LOOK_SECONDS: '1', RPC_URL_31337: anvil.url, ...env },
  });
  const { store } = world.runtime;
  const key = await newApiKey(store, { name: 'flow', scopes: USUAL_SCOPES });
  const send = createApiClient(() => world.url, key);
  const addresses = new Map<string, `0x${string}`>();
  const ids = new Map<string, string>();

  /** The terms of a gig of 10 USDC over a week from now on. */
  function terms(more: object) {
    const start_time = new Date(clock()).toISOString();
    return { chain: 'anvil', token_address: token.address, amount: 10, duration: '1week', start_time, ...more };
  }

  return {
    world,
    store,
    chain,
    token,
    rpcUrl: anvil.url,
    send,
    terms,
    /** A gig of 10 USDC over a week, funded and live. */
    async startGig(more: object): Promise<number> {
      const created = await send<Created>('POST', '/api/gigs/create', terms(more));
      expect(created).toMatchObject({ status: 201 });
      const { gig_id: gigId, gig_token_address: to, tx_data: data } = created.body;
      await mined(await chain.wallet.sendTransaction({ account: token.holder, to, data }), anvil.url);
      expect(await send('POST', '/api/gigs/start', { gig_id: gigId })).toMatchObject({ status: 200 });
      return gigId;
    },
    /** @returns the id of the account */
    addPerson(name: string, { score = 0.9, age = 400 * DAY_MS, followers = 0 }: NewPerson = {}): string {
      const id = String(5_000 + world.farcaster.users().length);
      const address = freshAddress();
      const registeredAt = Date.now() - age;
      world.farcaster.addUser({ id, username: name, score, followers, registeredAt, verifiedAddresses: [address] });
      addresses.set(name, address);
      ids.set(name, id);
      return id;
    },
    /** How many accounts of the gig are in each state. */
    counts: async (gigId: number) => (await store.earningCounts(gigId)).map((each) => `${each.count} ${each.state}`),
    /** What each person can claim, in USDC. */
    async claimable(names: readonly string[]): Promise<number[]> {
      const answers = await Promise.all(
        names.map((name) => send<Claimable>('GET', `/api/claim?identifiers=${ids.get(name)}`)),
      );
      return answers.map(({ body }) => Object.values(body.data).reduce((sum, { totalValue }) => sum + totalValue, 0));
    },
    /** Says it to the bot. @returns what the bot answers */
    tell: (who: string, text: string) => ask(world.farcaster, who, text),
    /** What each person, the treasury and the wallet of a gig hold, in base units. */
    async holdings(gigId: number, names: readonly string[]): Promise<Record<string, bigint>> {
      const wallet = (await store.gig(gigId))?.walletAddress ?? '';
      const people = names.map((name) => [name, addresses.get(name) ?? ''] as const);
      const owners = [...people, ['treasury', TREASURY] as const, ['wallet', wallet] as const];
      const held = await Promise.all(
        owners.map(async ([name, owner]) => [name, await tokenBalance(token, owner, anvil.url)] as const),
      );
      return Object.fromEntries(held);
    },
    /** Moves the time of the service and the chain on, and has the chain make blocks. */
    async later(ms: number): Promise<void> {
      ahead += ms;
      await chain.test.increaseTime({ seconds: ms / 1_000 });
      await chain.test.mine({ blocks: 3, interval: 1 });
    },
    async close() {
      await world.close();
      await anvil.stop();
    },
  };
}

export type WatchedWorld = Awaited<ReturnType<typeof openWatchedWorld>>;
