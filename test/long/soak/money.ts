import { setTimeout as wait } from 'node:timers/promises';
import { formatUnits, parseUnits } from 'viem';
import type { LocalToken } from '../../../sandbox/chain.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import type { Answer, Answers } from './answers.ts';
import type { Chance } from './chance.ts';
import type { Client } from './client.ts';
import { nobodysAddress, type Stage } from './stage.ts';
import type { Author, Talk } from './talk.ts';

/** A gig as its creator knows it. Amounts are base units of its token. */
export interface Gig {
  readonly id: number;
  readonly wallet: Address;
  readonly token: LocalToken;
  readonly reward: bigint;
  readonly fee: bigint;
  readonly owner: Author;
  /** What all tips of it sum up to. */
  awarded: bigint;
  live: boolean;
  /** How many starts by the API were answered with 200. */
  starts: number;
}

/** Somebody who earns tips and is paid at an address that nobody else uses. */
export interface Earner {
  readonly author: Author;
  readonly recipient: Address;
  /** Everything that was tipped, in base units, by the token's address. */
  readonly earned: Map<Address, bigint>;
  /** How often the bot was asked to pay; it answers nobody more than ten times an hour. */
  asked: number;
}

/** Gigs, tips and claims, done by clients who insist until each of them is done. */
export interface Money {
  readonly gigs: readonly Gig[];
  readonly earners: readonly Earner[];
  /** Creates a gig, funds it and starts it, by the API or by its owner's word; settles when it is live. */
  openGig(token: LocalToken): Promise<void>;
  join(): void;
  /** Tips some earners from one of the live gigs. */
  award(): Promise<void>;
  /** One earner claims, by a mention, by a URL, or by both at once. */
  claim(): Promise<void>;
  /** Everybody claims what is left, until nothing is. */
  claimRest(): Promise<void>;
}

/** Whole tokens, and how much of one a tip may be at most, in millionths. */
const REWARD = { token: 100_000, native: 50 };
const LARGEST_TIP = { token: 5_000_000, native: 20_000 };
const MOST_ASKED = 7;
const START_PATIENCE_MS = 30_000;
const CLAIMERS_AT_ONCE = 16;
const ROUNDS = 12;
const ROUND_MS = 2_000;
const HOUR_MS = 3_600_000;

function isLive({ body }: Answer): boolean {
  return body.includes('"status":"live"');
}

/** No gig and nobody yet. */
export function createMoney(options: {
  stage: Stage;
  client: Client;
  talk: Talk;
  answers: Answers;
  chance: Chance;
}): Money {
  const { stage, client, talk, answers, chance } = options;
  const { apiKey } = stage;
  const gigs: Gig[] = [];
  const earners: Earner[] = [];
  let keys = 0;
  let funding = Promise.resolve();
  const nextKey = () => {
    keys += 1;
    return `soak-${keys}`;
  };

  async function create(token: LocalToken): Promise<Gig | null> {
    const owner = talk.join(chance.pick(['farcaster', 'twitter'] as const));
    const { platform, id, username } = owner;
    const body = {
      chain: 'anvil',
      token_address: token.address,
      amount: token.symbol === 'ETH' ? REWARD.native : REWARD.token,
      start_time: new Date(Date.now() - HOUR_MS).toISOString(),
      duration: '1week',
      gig_type: 'mention',
      earning_criteria: { rule: { type: 'manual' } },
      owners: [{ platform, platform_user_id: id, username }],
    };
    const ask = { path: '/api/gigs/create', body, apiKey, idempotencyKey: nextKey() };
    const isCreated = ({ status }: Answer) => status === 201;
    const created = await client.insist('create gig', ask, isCreated);
    const again = await client.insist('create gig', ask, isCreated);
    if (created === null || again === null) return null;
    if (created.body !== again.body) answers.complain(`the same creation was answered twice: ${again.body}`);
    // The interface's own shape; the amounts in it are checked against the chain in the end.
    const funds = JSON.parse(created.body) as Record<'gig_wallet_address' | 'gig_balance' | 'platform_fee', string> & {
      gig_id: number;
    };
    const units = (text: string) => parseUnits(text, token.decimals);
    const wallet: Address = `0x${funds.gig_wallet_address.slice(2).toLowerCase()}`;
    return {
      id: funds.gig_id,
      wallet,
      token,
      owner,
      awarded: 0n,
      live: false,
      starts: 0,
      reward: units(funds.gig_balance),
      fee: units(funds.platform_fee),
    };
  }

  /** One after the other: they come from one account of the node. */
  async function fund({ token, wallet, reward, fee }: Gig): Promise<void> {
    const mine = funding.then(() =>
      stage.chain.send({ token: token.symbol === 'ETH' ? null : token, to: wallet, amount: reward + fee }),
    );
    funding = mine.catch(() => undefined);
    await mine;
  }

  function askToStart(gig: Gig, isDone: (answer: Answer) => boolean): Promise<Answer | null> {
    return client.insist('start gig', { path: '/api/gigs/start', body: { gig_id: gig.id }, apiKey }, (answer) => {
      if (answer.status === 200) gig.starts += 1;
      return isDone(answer);
    });
  }

  async function startByApi(gig: Gig): Promise<void> {
    const isStarted = ({ status, body }: Answer) => status === 200 || body.includes('is already live');
    await Promise.all([1, 2, 3].map(() => askToStart(gig, isStarted)));
  }

  async function startByMention(gig: Gig): Promise<void> {
    await talk.mention(gig.owner, `start gig ${gig.id}`).delivered;
    const deadline = Date.now() + START_PATIENCE_MS;
    while (Date.now() < deadline) {
      if (isLive(await client.ask('read gig', { path: `/api/gigs/${gig.id}` }))) return;
      await wait(1_000);
    }
    // The owner was told that the chain could not be read, or the mention is still under way.
    await startByApi(gig);
  }

  async function award(): Promise<void> {
    const gig = chance.pick(gigs.filter(({ live }) => live));
    const most = gig.token.symbol === 'ETH' ? LARGEST_TIP.native : LARGEST_TIP.token;
    const chosen = new Set(Array.from({ length: chance.between(1, 3) }, () => chance.pick(earners)));
    const shares = [...chosen].map((earner) => ({ earner, millionths: chance.between(1, most) }));
    const tips = shares.map(({ earner: { author }, millionths }) => ({
      platform: author.platform,
      platform_user_id: author.id,
      username: author.username,
      value: Number(formatUnits(BigInt(millionths), 6)),
    }));
    const ask = { path: `/api/gigs/${gig.id}/tips`, body: { tips }, apiKey, idempotencyKey: nextKey() };
    const awarded = await client.insist('award tips', ask, ({ status }) => status === 201);
    if (awarded === null) return;
    for (const { earner, millionths } of shares) {
      const amount = BigInt(millionths) * 10n ** BigInt(gig.token.decimals - 6);
      gig.awarded += amount;
      earner.earned.set(gig.token.address, (earner.earned.get(gig.token.address) ?? 0n) + amount);
    }
  }

  /** Posts without naming the bot, so that only the URL makes it a claim. */
  function postClaim({ author, recipient }: Earner): string {
    const text = `claim my rewards ${recipient}`;
    return stage.networks[author.platform].post({ author: author.id, text }).url;
  }

  /** Until nothing of it is under way or failed; true when there was nothing to claim. */
  async function claimUrl(url: string): Promise<boolean> {
    const isSettled = ({ status, body }: Answer) =>
      status === 404 || (status === 200 && body.includes('"failed_count":0') && body.includes('"pending_count":0'));
    const answer = await client.insist('claim', { path: '/api/claim', body: { url } }, isSettled);
    return answer?.status === 404;
  }

  async function claim(): Promise<void> {
    const earner = chance.pick(earners);
    if (earner.asked >= MOST_ASKED || chance.happens(0.3)) return void (await claimUrl(postClaim(earner)));
    earner.asked += 1;
    const verified = earner.author.platform === 'farcaster' && chance.happens(0.5);
    const text = verified ? 'claim my rewards' : `claim my rewards ${earner.recipient}`;
    const { mentioned, delivered } = talk.mention(earner.author, text);
    const byUrl = chance.happens(0.5) ? [claimUrl(mentioned.url), claimUrl(mentioned.url)] : [];
    await Promise.all([delivered, ...byUrl]);
  }

  async function claimAll(earner: Earner): Promise<void> {
    // What an earlier claim holds cannot be claimed by another one, and is paid by that.
    for (let round = 0; round < ROUNDS; round += 1) {
      const pending = await client.ask('look up', { path: `/api/claim?identifiers=${identifierOf(earner.author)}` });
      if (pending.body.includes('"total_tokens":0')) return;
      if (await claimUrl(postClaim(earner))) await wait(ROUND_MS);
    }
    answers.complain(`${earner.author.username} could not claim everything`);
  }

  return {
    gigs,
    earners,
    award,
    claim,
    async openGig(token) {
      const gig = await create(token);
      if (gig === null) return;
      gigs.push(gig);
      const isRefused = ({ status }: Answer) => status === 400 || status === 200;
      const early = await askToStart(gig, isRefused);
      if (early?.status === 200) answers.complain(`gig ${gig.id} was started without any funds`);
      await fund(gig);
      await (chance.happens(0.5) ? startByApi(gig) : startByMention(gig));
      gig.live = isLive((await client.insist('read gig', { path: `/api/gigs/${gig.id}` }, isLive)) ?? { ...NOTHING });
    },
    join() {
      const recipient = nobodysAddress();
      const author = talk.join(chance.pick(['farcaster', 'twitter'] as const), { verifiedAddress: recipient });
      earners.push({ author, recipient, earned: new Map(), asked: 0 });
    },
    async claimRest() {
      const left = [...earners];
      const work = async () => {
        for (let earner = left.pop(); earner !== undefined; earner = left.pop()) await claimAll(earner);
      };
      await Promise.all(Array.from({ length: CLAIMERS_AT_ONCE }, work));
    },
  };
}

const NOTHING: Answer = { status: 0, body: '', startedAt: 0, at: 0 };

/** How a look-up names an account. */
export function identifierOf({ platform, id, username }: Author): string {
  return platform === 'farcaster' ? id : username;
}
