import { formatAmount } from '../../src/domain/amount.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../src/domain/gigs/token.ts';
import type { LocalToken } from '../chain.ts';
import { BOT, FUNDER, PEOPLE } from '../people.ts';
import type { ServiceEvent } from '../service.ts';
import { readClaimable, type ServiceApi } from './api.ts';
import { countWaiting, describeChanges } from './changes.ts';
import {
  describeNetworkEvent,
  describeReceiverEvent,
  describeServiceEvent,
  describeVerifierEvent,
  isByBot,
} from './events.ts';
import type { Happenings } from './happenings.ts';
import { type Asset, type Holdings, type HoldingsReader, holdingKey } from './holdings.ts';
import { NETWORKS, type Networks, PLATFORM_OF } from './names.ts';
import { postKey, type RecordReader, type Records } from './records.ts';
import type { ServiceWatch } from './service-watch.ts';
import type { Story } from './story.ts';
import type { Claimable, Crash, PostPlace, World } from './world.ts';

/** Reads the state of the service and the chain while the page has viewers. */
export interface Watcher {
  /** What was seen last. */
  seen(): Pick<World, 'records' | 'holdings' | 'claimable' | 'service' | 'crash'>;
  /** Looks at everything once; resolves when all of it has answered or failed. */
  look(): Promise<void>;
  /** Looks at the store and the chain alone, from now on; resolves when that has answered or failed. */
  lookAtChain(): Promise<void>;
  /** Looks again and again, until what it answers is called. */
  watch(): () => void;
  stop(): void;
}

/** Whose balances are shown. */
const OWNERS = [...PEOPLE, FUNDER];
const TICK_MS = 400;
/** How often while something is under way. */
const BUSY_TICK_MS = 100;

/** The tokens that the page shows for each person. */
export function shownAssets(tokens: readonly LocalToken[]): readonly (Asset & { symbol: string; decimals: number })[] {
  const native = { address: NATIVE_TOKEN_ADDRESS, symbol: 'ETH', decimals: 18, isNative: true };
  return [...tokens.map((token) => ({ ...token, isNative: false })), native];
}

/** What the claimable tokens depend on: when it changes, the API is asked again. */
function claimMark({ gigs, payments }: Records, pids: readonly number[]): string {
  const awarded = [...gigs.values()].map(({ awardedAmount }) => awardedAmount);
  return [...pids, ...awarded, ...[...payments.values()].map(({ id, state }) => `${id}${state}`)].join();
}

/** One at a time; who asks while it runs gets the next one, which begins after it and which they share. */
function single(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = () => {
    next = null;
    running = run().finally(() => {
      running = null;
    });
    return running;
  };
  return () => {
    if (running === null) return begin();
    next ??= running.then(begin);
    return next;
  };
}

/** A watcher that has seen the store as it is now, and nothing else yet. */
export async function createWatcher(options: {
  records: RecordReader;
  holdings: HoldingsReader;
  api: ServiceApi;
  service: ServiceWatch;
  networks: Networks;
  tokens: readonly LocalToken[];
  happenings: Happenings;
  story: Story;
  /** Called when something else was seen than before. */
  changed: () => void;
}): Promise<Watcher> {
  const { networks, service, story, changed } = options;
  const assets = shownAssets(options.tokens);
  let version = await options.records.version();
  let records = await options.records.read();
  let holdings: Holdings | null = null;
  let claimable = new Map<string, Claimable>();
  let claimedAt = '';
  let crash: Crash | null = null;
  let watching = 0;
  let timer: NodeJS.Timeout | undefined;

  const lookAtRecords = single(async () => {
    const now = await options.records.version();
    if (now === version) return;
    version = now;
    const before = records;
    records = await options.records.read();
    for (const line of describeChanges(before, records)) story.tell(line);
    changed();
  });

  function wantedHoldings() {
    const people = OWNERS.flatMap(({ address }) => assets.map((asset) => ({ owner: address, asset })));
    const wallets = [...records.gigs.values()].map((gig) => ({ owner: gig.walletAddress, asset: gig.token }));
    return [...people, ...wallets];
  }

  function tellReceived(before: Holdings, after: Holdings): void {
    for (const { name, address } of OWNERS) {
      for (const asset of assets) {
        const key = holdingKey(address, asset);
        const [had, has] = [before.amounts.get(key), after.amounts.get(key)];
        if (had === undefined || has === undefined || has <= had) continue;
        const more = formatAmount(has - had, asset.decimals);
        const whose = name === FUNDER.name ? `The ${name}’s wallet` : `${name}’s address`;
        const text = `${whose} holds ${more} ${asset.symbol} more, as of block ${after.block}.`;
        story.tell({ scene: 'Chain', text });
      }
    }
  }

  const lookAtChain = single(async () => {
    // Whose wallets these are stands in the store: a gig may be new, and without viewers nothing looks at it.
    await lookAtRecords();
    const before = holdings;
    // The node is the sandbox's own; while it does not answer, what it answered last stays.
    const after = await options.holdings.read(wantedHoldings()).catch(() => before);
    if (after === before || after === null) return;
    holdings = after;
    if (before !== null) tellReceived(before, after);
    changed();
  });

  const lookAtClaims = single(async () => {
    const mark = claimMark(records, service.standing().pids);
    if (mark === claimedAt || service.standing().state === 'restarting') return;
    const answers = await Promise.all(
      PEOPLE.map(async ({ name, fid }) => {
        const asked = [fid, `@${name}`].map((whom) => options.api.get(`/api/claim?identifiers=${whom}`));
        const [farcaster = null, x = null] = (await Promise.all(asked)).map(readClaimable);
        return farcaster === null || x === null ? [] : [[name, { farcaster, x }] as const];
      }),
    );
    claimable = new Map([...claimable, ...answers.flat()]);
    if (answers.every((answer) => answer.length > 0)) claimedAt = mark;
    changed();
  });

  async function look(): Promise<void> {
    await lookAtRecords();
    await Promise.all([lookAtChain(), lookAtClaims(), service.look()]);
  }

  function isBusy(): boolean {
    const { mentions, replies } = countWaiting(records);
    const open = ['planned', 'sent'];
    return mentions + replies > 0 || [...records.payments.values()].some(({ state }) => open.includes(state));
  }

  function tick(): void {
    clearTimeout(timer);
    if (watching === 0) return;
    void look();
    timer = setTimeout(tick, isBusy() ? BUSY_TICK_MS : TICK_MS);
  }

  /** Posts that name the bot and have neither its answer nor its decision not to answer. */
  function waitingPosts(): PostPlace[] {
    return NETWORKS.flatMap((network) => {
      const posts = networks[network].posts();
      const answered = new Set(posts.filter(isByBot).map(({ replyTo }) => replyTo));
      return posts
        .filter((post) => !isByBot(post) && post.text.toLowerCase().includes(`@${BOT.username}`))
        .filter(({ id }) => !answered.has(id))
        .filter(({ id }) => {
          const state = records.mentions.get(postKey(PLATFORM_OF[network], id))?.state;
          return state === undefined || state === 'received' || state === 'answered';
        })
        .map(({ id }) => ({ network, postId: id }));
    });
  }

  async function onService(event: ServiceEvent): Promise<void> {
    service.heard(event);
    await lookAtRecords();
    if (event.type === 'ended') crash = { atStake: waitingPosts(), backAfterMs: null };
    if (event.type === 'back' && crash !== null) crash = { ...crash, backAfterMs: event.ms };
    story.tell(describeServiceEvent(event, countWaiting(records)));
    void look();
    changed();
  }

  const stopLooking = options.happenings.lookOn({
    network: (name, event) => {
      if (event.type === 'posted' && crash !== null && service.standing().state !== 'up' && !isByBot(event.post)) {
        crash = { ...crash, atStake: [...crash.atStake, { network: name, postId: event.post.id }] };
      }
      story.tell(describeNetworkEvent(name, event, networks));
      if (watching > 0) tick();
    },
    service: (event) => void onService(event),
    verifier: (event) => story.tell(describeVerifierEvent(event)),
    receiver: (event) => story.tell(describeReceiverEvent(event)),
  });

  return {
    seen: () => ({ records, holdings, claimable, service: service.standing(), crash }),
    look,
    lookAtChain,
    watch: () => {
      let here = true;
      watching += 1;
      tick();
      return () => {
        if (here) watching -= 1;
        here = false;
      };
    },
    stop: () => {
      watching = 0;
      clearTimeout(timer);
      stopLooking();
    },
  };
}
