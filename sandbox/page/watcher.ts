import { setTimeout as wait } from 'node:timers/promises';
import { createPublicClient, erc20Abi, http } from 'viem';
import { z } from 'zod';
import { type Address, NATIVE_TOKEN_ADDRESS, type Token } from '../../src/domain/gigs/token.ts';
import type { LocalToken } from '../chain.ts';
import type { NetworkEvent } from '../networks/network.ts';
import { FUNDER, PEOPLE } from '../people.ts';
import type { ReceiverEvent } from '../receiver.ts';
import type { ServiceEvent } from '../service.ts';
import type { VerifierEvent } from '../verifier.ts';
import { createLine } from './line.ts';
import type { NetworkName, Parts } from './parts.ts';
import { countWaiting, type RecordReader } from './records.ts';
import * as stories from './story.ts';
import { tokenText } from './words.ts';

const LOOK_EVERY_MS = 200;
const READY_EVERY_MS = 1_000;
const READY_PATIENCE_MS = 2_000;

const pause = z.object({ reason: z.string() }).nullable();
const platform = z.object({ platform: z.enum(['farcaster', 'twitter']), paused: pause });
const readiness = z.object({ ready: z.boolean(), platforms: z.array(platform) });

/** How the service stands, its processes that run, and the platforms that it has paused, as `/ready` answers. */
interface ServiceStanding {
  /** `silent`: its process runs, but it does not answer, or says that it is not ready. */
  readonly state: 'up' | 'restarting' | 'silent' | 'lost';
  readonly pids: readonly number[];
  readonly paused: readonly z.infer<typeof platform>[];
}

const STATE_AFTER = { ended: 'restarting', stopped: 'restarting', back: 'up', started: 'up', lost: 'lost' } as const;

type WatchedService = { url: string; pids: () => readonly number[]; clock: () => number; changed: () => void };

/** Knows how the service at `url`, which is up, stands; `changed` is called when it stands otherwise. */
export function createServiceWatch({ url, pids, clock, changed }: WatchedService) {
  let standing: ServiceStanding = { state: 'up', pids: pids(), paused: [] };
  let lookedAt = 0;
  const isDown = () => standing.state === 'restarting' || standing.state === 'lost';

  async function ask(): Promise<ServiceStanding> {
    try {
      const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(READY_PATIENCE_MS) });
      const { ready, platforms } = readiness.parse(await answer.json());
      const paused = platforms.filter((one) => one.paused !== null);
      return { state: ready ? 'up' : 'silent', pids: pids(), paused };
    } catch {
      // Whatever it is, it is no answer; the page says so.
      return { state: 'silent', pids: pids(), paused: [] };
    }
  }

  return {
    standing: () => standing,
    /** Asks `/ready`, at most once a second. Never throws: no answer is a standing too. */
    look: async (): Promise<void> => {
      if (isDown() || clock() - lookedAt < READY_EVERY_MS) return;
      lookedAt = Number.POSITIVE_INFINITY;
      const next = await ask();
      lookedAt = clock();
      // It may have died while it was asked, which the process knows better.
      if (isDown() || JSON.stringify(next) === JSON.stringify(standing)) return;
      standing = next;
      changed();
    },
    heard: (event: ServiceEvent): void => {
      standing = { state: event.others ? 'up' : STATE_AFTER[event.type], pids: pids(), paused: [] };
      changed();
    },
  };
}

/** The tokens that the page shows for each person. */
export function shownAssets(tokens: readonly LocalToken[]) {
  const native = { address: NATIVE_TOKEN_ADDRESS, symbol: 'ETH', decimals: 18, isNative: true };
  return [...tokens.map((token) => ({ ...token, isNative: false })), native];
}

/** What addresses hold on the local chain, as of one block. Base units, by {@link holdingKey}. */
type Holdings = { readonly block: bigint; readonly amounts: ReadonlyMap<string, bigint> };

/** What an address's balance of a token is called. */
export function holdingKey(owner: Address, { address }: Pick<Token, 'address'>): string {
  return `${owner.toLowerCase()}:${address}`;
}

type Wanted = { readonly owner: Address; readonly asset: Pick<Token, 'address' | 'isNative'> };

/** Reads from the node at `url`, many balances in one request. Nothing is read again before there is a new block. */
function createHoldingsReader(url: string) {
  const transport = http(url, { batch: true, retryCount: 0, timeout: 5_000 });
  const client = createPublicClient({ transport, cacheTime: 0 });

  async function read({ owner, asset: { address, isNative } }: Wanted): Promise<bigint> {
    if (isNative) return await client.getBalance({ address: owner });
    return await client.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
  }

  return async (wanted: readonly Wanted[], last: Holdings | null): Promise<Holdings> => {
    const keys = wanted.map(({ owner, asset }) => holdingKey(owner, asset));
    const block = await client.getBlockNumber();
    if (last?.block === block && keys.every((key) => last.amounts.has(key))) return last;
    const amounts = await Promise.all(wanted.map(read));
    return { block, amounts: new Map(keys.map((key, index) => [key, amounts[index] ?? 0n])) };
  };
}

/** Reads the state of the service and the chain while the page has viewers; the store it has seen already. */
export async function createWatcher(
  { networks, places, service: process, tokens, happenings, time }: Parts,
  { reader, story, changed }: { reader: RecordReader; story: stories.Story; changed: () => void },
) {
  const owners = [...PEOPLE, FUNDER];
  const shown = shownAssets(tokens).flatMap((asset) => owners.map(({ name, address }) => ({ name, address, asset })));
  const readHoldings = createHoldingsReader(places.chain);
  const service = createServiceWatch({ url: places.service, pids: process.pids, clock: time.now, changed });
  let version = await reader.version();
  let records = await reader.read();
  let holdings: Holdings | null = null;
  let backAfterMs: number | null = null;
  let watching = 0;
  let isLooking = false;
  const inTurn = createLine();

  async function lookAtRecords(): Promise<void> {
    const now = await reader.version();
    if (now === version) return;
    version = now;
    const before = records;
    records = await reader.read();
    for (const line of stories.describeChanges(before, records)) story.tell(line);
    changed();
  }

  function tellReceived(before: Holdings, after: Holdings): void {
    for (const { name, address, asset } of shown) {
      const [had, has] = [before, after].map(({ amounts }) => amounts.get(holdingKey(address, asset)));
      if (had === undefined || has === undefined || has <= had) continue;
      const whose = name === FUNDER.name ? `The ${name}’s wallet` : `${name}’s address`;
      const text = `${whose} holds ${tokenText(has - had, asset)} more, as of block ${after.block}.`;
      story.tell({ scene: 'Chain', text });
    }
  }

  async function lookAtAll(): Promise<void> {
    void service.look();
    // Whose wallets these are stands in the store: a gig may be new, and without viewers nothing looks at it.
    await lookAtRecords();
    const before = holdings;
    const people = shown.map(({ address, asset }) => ({ owner: address, asset }));
    const wallets = [...records.gigs.values()].map((gig) => ({ owner: gig.walletAddress, asset: gig.token }));
    // The node is the sandbox's own; while it does not answer, what it answered last stays.
    const after = await readHoldings([...people, ...wallets], before).catch(() => before);
    if (after === before || after === null) return;
    holdings = after;
    if (before !== null) tellReceived(before, after);
    changed();
  }

  const look = () => inTurn(lookAtAll);

  async function keepLooking(): Promise<void> {
    isLooking = true;
    for (; watching > 0; await wait(LOOK_EVERY_MS)) await look();
    isLooking = false;
  }

  const onNetwork = (name: NetworkName, event: NetworkEvent) => {
    story.tell(stories.describeNetworkEvent(name, event, networks[name].posts()));
    if (isLooking) void look();
  };
  const onService = async (event: ServiceEvent) => {
    service.heard(event);
    await inTurn(lookAtRecords);
    if (event.type === 'ended' || event.type === 'back') backAfterMs = event.type === 'back' ? event.ms : null;
    story.tell(stories.describeServiceEvent(event, countWaiting(records)));
    void look();
  };
  const onVerifier = ({ gigId, verdicts }: VerifierEvent) => {
    const decided = `It decided: ${verdicts.join('; ')}.`;
    story.tell({ scene: 'Verifier', text: `Asked about gig ${gigId}, by a signed request. ${decided}` });
  };
  const onReceiver = (event: ReceiverEvent) => story.tell(stories.describeReceiverEvent(event));
  happenings.on('network', onNetwork).on('service', onService).on('verifier', onVerifier).on('receiver', onReceiver);

  return {
    /** Balances are null until the chain has answered, and so is how long the service took to be back until it died. */
    seen: () => ({ records, holdings, service: service.standing(), backAfterMs }),
    /** Looks at everything, from now on; resolves when the store and the chain have answered or failed. */
    look,
    /** Looks again and again, until what it answers is called. */
    watch: () => {
      watching += 1;
      if (!isLooking) void keepLooking();
      return () => {
        watching -= 1;
      };
    },
    stop: async (): Promise<void> => {
      watching = 0;
      happenings.off('network', onNetwork).off('service', onService);
      happenings.off('verifier', onVerifier).off('receiver', onReceiver);
      await inTurn(async () => undefined);
    },
  };
}

/** What the watcher has seen last. */
export type Seen = ReturnType<Awaited<ReturnType<typeof createWatcher>>['seen']>;
