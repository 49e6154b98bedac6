import { formatAmount } from '../../src/domain/amount.ts';
import { requiredFunds } from '../../src/domain/gigs/gig.ts';
import type { LocalChain } from '../chain.ts';
import { type Faults, faultsBody, NO_FAULTS } from '../networks/faults.ts';
import type { NetworkPost } from '../networks/network.ts';
import { FEE_BPS, PEOPLE } from '../people.ts';
import type { ServiceProcess } from '../service.ts';
import { type ApiAnswer, describeAnswer, type ServiceApi } from './api.ts';
import type { Backup } from './backup.ts';
import { holdingKey } from './holdings.ts';
import { type NetworkName, type Networks, TITLES } from './names.ts';
import type { GigRecord } from './records.ts';
import type { Story } from './story.ts';
import type { Watcher } from './watcher.ts';
import { API_FAULT_WORDS, clockTime, WEBHOOK_WORDS } from './words.ts';

/** What came of something that was done on the page. */
export interface Outcome {
  readonly ok: boolean;
  /** One sentence. */
  readonly message: string;
  /** The id of the element where it shows. */
  readonly show: string;
  /** The id of an element that will say what came of it in the end, where something is still to come. */
  readonly later?: string;
}

/** How much to send to a gig's wallet, measured by what it still needs: one whole token around it, or just that. */
export const FUNDINGS = ['exact', 'short', 'over'] as const;
export type Funding = (typeof FUNDINGS)[number];

/** What a person can do on the page. */
export interface Actions {
  post(network: NetworkName, post: { author: string; text: string }): Outcome & { post: NetworkPost | null };
  fund(gigId: number, funding: Funding): Promise<Outcome>;
  /** Changes a gig's reward through the API, so that its wallet, which holds too much, holds what it needs. */
  fit(gigId: number): Promise<Outcome>;
  /** Starts a gig through the API. */
  start(gigId: number): Promise<Outcome>;
  /** Claims by a post's URL through the API. */
  claim(url: string): Promise<Outcome>;
  setFaults(network: NetworkName, fields: Readonly<Record<string, string>>): Outcome;
  kill(): Outcome;
  /** Stops the service, puts the copy of its database back, and starts it again. */
  putBackCopy(): Promise<Outcome>;
  /** What the API answered to starts, by gig. */
  starts(): ReadonlyMap<number, ApiAnswer>;
  claimed(): { readonly url: string; readonly answer: ApiAnswer } | null;
}

const LONGEST_POST = 1_000;
/** Why there is no copy to put back. */
export const NO_BACKUP = 'Only a database in a file can be put back here. This sandbox’s database is on PostgreSQL.';

/** The id of a post's element. */
export function postElement(network: NetworkName, postId: string): string {
  return `post-${network}-${postId}`;
}

/** What to send, in base units, to a wallet that holds `held`; null when that cannot be. */
export function fundingAmount(gig: GigRecord, held: bigint, funding: Funding): bigint | null {
  const unit = 10n ** BigInt(gig.token.decimals);
  const missing = requiredFunds(gig) - held;
  switch (funding) {
    case 'exact':
      return missing > 0n ? missing : null;
    case 'short': {
      const part = missing > unit ? missing - unit : missing / 2n;
      return part > 0n ? part : null;
    }
    case 'over':
      return missing > 0n ? missing + unit : unit;
  }
}

/**
 * The least reward that, with its fee, needs at least `held`, and what it needs then: a base unit more where rounding
 * the fee down skips `held` itself.
 */
export function fittingReward(held: bigint): { reward: bigint; required: bigint } {
  const below = (held * 10_000n) / (10_000n + FEE_BPS);
  const required = (reward: bigint) => reward + (reward * FEE_BPS) / 10_000n;
  const reward = required(below) < held ? below + 1n : below;
  return { reward, required: required(reward) };
}

function readFaults(fields: Readonly<Record<string, string>>): Faults | null {
  const api = fields['api'] ?? NO_FAULTS.api;
  const once = fields['once'] === 'on' && api !== 'none';
  const asked = { api, webhook: fields['webhook'], route: 'reply', ...(once ? { remaining: 1 } : {}) };
  const body = faultsBody.safeParse(asked);
  return body.success ? body.data : null;
}

/** Everything the page's forms do. */
export function createActions(options: {
  networks: Networks;
  chain: LocalChain;
  api: ServiceApi;
  service: Pick<ServiceProcess, 'crash' | 'whileStopped'>;
  /** How many instances the service has. */
  instances: number;
  /** Null for a database that is no file. */
  backup: Backup | null;
  watcher: Watcher;
  story: Story;
}): Actions {
  const { networks, chain, api, watcher, story, backup } = options;
  const starts = new Map<number, ApiAnswer>();
  let claimed: ReturnType<Actions['claimed']> = null;
  // The chain's account sends one transaction after the other: two at once would take the same nonce.
  let sending: Promise<unknown> = Promise.resolve();

  async function send(gig: GigRecord, amount: bigint): Promise<void> {
    const { address, name, symbol, decimals, isNative } = gig.token;
    const token = isNative ? null : { address, name, symbol, decimals };
    const sent = sending.then(() => chain.send({ token, to: gig.walletAddress, amount }));
    sending = sent.catch(() => undefined);
    await sent;
  }

  function ownStory(text: string): void {
    story.tell({ scene: 'You', text });
  }

  return {
    post: (network, { author, text }) => {
      const show = `composer-${network}`;
      if (text.trim() === '') return { ok: false, message: 'There is nothing to post.', show, post: null };
      if (text.length > LONGEST_POST) return { ok: false, message: 'That is too long to post.', show, post: null };
      if (!PEOPLE.some(({ name }) => name === author)) {
        return { ok: false, message: 'There is no user with that name.', show, post: null };
      }
      const post = networks[network].post({ author, text });
      return {
        ok: true,
        message: `Posted as ${author} on ${TITLES[network]}.`,
        show: postElement(network, post.id),
        post,
      };
    },

    fund: async (gigId, funding) => {
      const show = `gig-${gigId}`;
      // What the wallet holds must be of now: an earlier press of the button may just have filled it.
      await sending;
      await watcher.lookAtChain();
      const { records, holdings } = watcher.seen();
      const gig = records.gigs.get(gigId);
      if (gig === undefined) return { ok: false, message: `There is no gig ${gigId}.`, show };
      const held = holdings?.amounts.get(holdingKey(gig.walletAddress, gig.token));
      if (held === undefined) return { ok: false, message: 'The chain does not answer.', show };
      const amount = fundingAmount(gig, held, funding);
      if (amount === null) return { ok: false, message: `The wallet of gig ${gigId} needs nothing more.`, show };
      await send(gig, amount);
      const words = `${formatAmount(amount, gig.token.decimals)} ${gig.token.symbol}`;
      ownStory(`sent ${words} to the wallet of gig ${gigId}.`);
      await watcher.lookAtChain();
      return { ok: true, message: `Sent ${words} to the wallet of gig ${gigId}.`, show };
    },

    fit: async (gigId) => {
      const show = `gig-${gigId}`;
      await sending;
      await watcher.lookAtChain();
      const { records, holdings } = watcher.seen();
      const gig = records.gigs.get(gigId);
      if (gig === undefined) return { ok: false, message: `There is no gig ${gigId}.`, show };
      const held = holdings?.amounts.get(holdingKey(gig.walletAddress, gig.token));
      if (held === undefined) return { ok: false, message: 'The chain does not answer.', show };
      if (gig.status !== 'created' || held <= requiredFunds(gig)) {
        return { ok: false, message: `The wallet of gig ${gigId} does not hold too much.`, show };
      }
      const { reward, required } = fittingReward(held);
      const amount = formatAmount(reward, gig.token.decimals);
      const answer = await api.patch(`/api/gigs/${gigId}`, { amount });
      if (answer.status !== 200) return { ok: false, message: describeAnswer(answer), show };
      ownStory(`changed the reward of gig ${gigId} to ${amount} ${gig.token.symbol} over the API.`);
      if (required > held) await send(gig, required - held);
      await watcher.look();
      const message = `The reward of gig ${gigId} is ${amount} ${gig.token.symbol} now: its wallet holds exactly what it needs.`;
      return { ok: true, message, show };
    },

    start: async (gigId) => {
      const answer = await api.post('/api/gigs/start', { gig_id: gigId });
      starts.set(gigId, answer);
      const words = describeAnswer(answer);
      story.tell({
        scene: 'You',
        text: `asked the API to start gig ${gigId}. It answered ${words}`,
        announce: true,
      });
      return { ok: answer.status === 200, message: words, show: `gig-${gigId}` };
    },

    claim: async (url) => {
      const answer = await api.post('/api/claim', { url });
      claimed = { url, answer };
      const words = describeAnswer(answer);
      story.tell({
        scene: 'You',
        text: `sent a post’s URL to POST /api/claim. It answered ${words}`,
        announce: true,
      });
      return { ok: answer.status === 200, message: words, show: 'claim' };
    },

    setFaults: (network, fields) => {
      const faults = readFaults(fields);
      const show = `faults-${network}`;
      if (faults === null) return { ok: false, message: 'There is no such fault.', show };
      Object.assign(networks[network].faults, faults);
      const message = `Faults of ${TITLES[network]} set.`;
      const api = `its API is set to ${API_FAULT_WORDS[faults.api]}`;
      const times = faults.remaining === null ? '' : ', for the next reply only';
      ownStory(`set the faults of ${TITLES[network]}: ${api}${times}; events come: ${WEBHOOK_WORDS[faults.webhook]}.`);
      return { ok: true, message, show };
    },

    kill: () => {
      const killed = options.service.crash();
      const what = options.instances > 1 ? 'An instance' : 'The service';
      const message = killed ? `${what} was killed.` : 'The service is down already.';
      return { ok: killed, message, show: 'service' };
    },

    putBackCopy: async () => {
      const show = 'service';
      if (backup === null) return { ok: false, message: NO_BACKUP, show };
      const { state } = watcher.seen().service;
      if (state === 'restarting' || state === 'lost') {
        return { ok: false, message: 'The service is down. Wait until it is back.', show };
      }
      const at = clockTime(backup.takenAt());
      ownStory(`put back the copy of the database of ${at}. What happened since is not in it.`);
      await options.service.whileStopped(backup.putBack);
      return { ok: true, message: `The service runs with its database of ${at}.`, show };
    },

    starts: () => starts,
    claimed: () => claimed,
  };
}
