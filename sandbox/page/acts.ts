import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { formatAmount } from '../../src/domain/amount.ts';
import { feeOn, requiredFunds } from '../../src/domain/gigs/gig.ts';
import { BOT, FEE_BPS, FUNDER, PEOPLE, person } from '../people.ts';
import { StepError } from '../step-error.ts';
import { type ApiAnswer, describeAnswer, mustAnswer } from './api.ts';
import type { NetworkName, PostPlace } from './parts.ts';
import type { GigRecord } from './records.ts';
import type { Stage, World } from './stage.ts';
import { holdingKey, type Seen } from './watcher.ts';
import { tokenText } from './words.ts';

const ASK_MS = 300;
const PATIENCE_MS = 60_000;
const counts = z.object({ held: z.int(), awarded: z.int(), refused: z.int() });
const counted = z.object({ data: z.object({ earning: z.object({ counts }) }) });

const HOW = { how_to_earn: 'Mention @acme in a cast.', earning_criteria: 'The best posts, picked by hand.' };

/** The terms of a gig whose tips are awarded one by one: criteria in words leave every decision to its organizer. */
export const BY_HAND = { gig_type: 'mention', duration: '1week', ...HOW };

/** bob's accounts, as owners of a gig. */
export const OWNERS = [
  { platform: 'farcaster', platform_user_id: String(person('bob').fid), username: 'bob' },
  { platform: 'x', platform_user_id: person('bob').xUserId, username: 'bob' },
];

/** Posts as a user. @throws StepError */
export function post({ networks }: Stage, network: NetworkName, author: string, text: string): PostPlace {
  if (text.trim() === '') throw new StepError('There is nothing to post.');
  if (text.length > 1_000) throw new StepError('That is too long to post.');
  if (!PEOPLE.some(({ name }) => name === author)) throw new StepError('There is no user with that name.');
  return { network, postId: networks[network].post({ author, text }).id };
}

/** Posts to the bot. @throws StepError */
export function say(stage: Stage, network: NetworkName, author: string, text: string): PostPlace {
  return post(stage, network, author, `@${BOT.username} ${text}`);
}

/** Kills the service. @throws StepError */
export function killService({ service, instances }: Stage): string {
  if (!service.crash()) throw new StepError('The service is down already.');
  return `${instances > 1 ? 'An instance' : 'The service'} was killed.`;
}

/** How much to send to a gig's wallet, measured by what it still needs: one whole token around it, or just that. */
export const FUNDINGS = ['exact', 'short', 'over'] as const;
export type Funding = (typeof FUNDINGS)[number];

/** What to send, in base units, to a wallet that holds `held`; null when that cannot be. */
export function fundingAmount(gig: GigRecord, held: bigint, funding: Funding): bigint | null {
  const unit = 10n ** BigInt(gig.token.decimals);
  const missing = requiredFunds(gig) - held;
  if (funding === 'over') return missing > 0n ? missing + unit : unit;
  const part = missing > unit ? missing - unit : missing / 2n;
  const amount = funding === 'exact' ? missing : part;
  return amount > 0n ? amount : null;
}

/**
 * The least reward that, with its fee, needs at least `held`, and what it needs then: a base unit more where rounding
 * the fee down skips `held` itself.
 */
export function fittingReward(held: bigint): { reward: bigint; required: bigint } {
  const below = (held * 10_000n) / (10_000n + FEE_BPS);
  const required = (reward: bigint) => reward + feeOn(reward, Number(FEE_BPS));
  const reward = required(below) < held ? below + 1n : below;
  return { reward, required: required(reward) };
}

/** What a gig's wallet holds, undefined before that was read, and whether that is less than it must, -1, or more, 1. */
export function readWallet(gig: GigRecord, { holdings }: Pick<World, 'holdings'>) {
  const held = holdings?.amounts.get(holdingKey(gig.walletAddress, gig.token));
  const balance = Math.sign(Number((held ?? 0n) - requiredFunds(gig)));
  const standing = `${formatAmount(held ?? 0n, gig.token.decimals)} of ${tokenText(requiredFunds(gig), gig.token)}`;
  return { held, balance, standing };
}

/** A gig as it was seen last. @throws StepError */
export function mustSee({ watcher }: Stage, gigId: number) {
  const gig = watcher.seen().records.gigs.get(gigId);
  if (gig === undefined) throw new StepError(`There is no gig ${gigId}.`);
  return { gig, ...readWallet(gig, watcher.seen()) };
}

type Work = (gig: GigRecord, held: bigint, send: (amount: bigint) => Promise<void>) => Promise<string>;

async function withWallet(stage: Stage, gigId: number, work: Work): Promise<string> {
  return await stage.sending(async () => {
    await stage.watcher.look();
    const { gig, held } = mustSee(stage, gigId);
    if (held === undefined) throw new StepError('The chain does not answer.');
    const token = gig.token.isNative ? null : gig.token;
    const send = (amount: bigint) => stage.chain.send({ token, to: gig.walletAddress, amount });
    const message = await work(gig, held, send);
    await stage.watcher.look();
    return message;
  });
}

/** Sends tokens to a gig's wallet. @throws StepError */
export async function fundGig(stage: Stage, gigId: number, funding: Funding): Promise<string> {
  return await withWallet(stage, gigId, async (gig, held, send) => {
    const amount = fundingAmount(gig, held, funding);
    if (amount === null) throw new StepError(`The wallet of gig ${gigId} needs nothing more.`);
    await send(amount);
    const words = `${tokenText(amount, gig.token)} to the wallet of gig ${gigId}.`;
    stage.story.tell({ scene: 'You', text: `sent ${words}` });
    return `Sent ${words}`;
  });
}

/** Changes a gig's reward over the API, so that what its wallet holds is not too much. @throws StepError */
export async function fitGig(stage: Stage, gigId: number): Promise<string> {
  return await withWallet(stage, gigId, async (gig, held, send) => {
    const { reward, required } = fittingReward(held);
    const holdsTooMuch = gig.status === 'created' && held > requiredFunds(gig);
    if (!holdsTooMuch) throw new StepError(`The wallet of gig ${gigId} does not hold too much.`);
    const amount = formatAmount(reward, gig.token.decimals);
    const answer = await stage.api('PATCH', `/api/gigs/${gigId}`, { amount });
    if (answer.status !== 200) throw new StepError(describeAnswer(answer));
    const words = tokenText(reward, gig.token);
    stage.story.tell({ scene: 'You', text: `changed the reward of gig ${gigId} to ${words} over the API.` });
    if (required > held) await send(required - held);
    return `The reward of gig ${gigId} is ${words} now: its wallet holds exactly what it needs.`;
  });
}

/** Tells what the API answered. @throws StepError for an answer other than 200 */
export function tellAnswer({ story }: Stage, what: string, answer: ApiAnswer): string {
  const words = describeAnswer(answer);
  story.tell({ scene: 'You', text: `${what}. It answered ${words}`, announce: true });
  if (answer.status !== 200) throw new StepError(words);
  return words;
}

/** Starts a gig over the API. @throws StepError */
export async function startGig(stage: Stage, gigId: number): Promise<string> {
  const answer = await stage.api('POST', '/api/gigs/start', { gig_id: gigId });
  stage.starts.set(gigId, answer);
  return tellAnswer(stage, `asked the API to start gig ${gigId}`, answer);
}

/** Creates a gig by the API, with an empty wallet. @returns its id @throws StepError */
export async function createGig(stage: Stage, symbol: 'DEGEN' | 'USDC', terms: object): Promise<number> {
  const token = stage.tokens.find((one) => one.symbol === symbol);
  if (token === undefined) throw new StepError('There is no token for one more gig.');
  const shared = { chain: 'anvil', token_address: token.address, refund_address: FUNDER.address };
  const start_time = new Date(stage.time.now()).toISOString();
  const made = await stage.api('POST', '/api/gigs/create', { ...shared, start_time, ...terms });
  const { gig_id: gigId } = mustAnswer(z.object({ gig_id: z.int() }), made);
  await stage.watcher.look();
  return gigId;
}

/** Creates a gig of 10 USDC, funds its wallet and starts it. @returns its id @throws StepError */
export async function openGig(stage: Stage, terms: object): Promise<number> {
  const gigId = await createGig(stage, 'USDC', { amount: '10', ...terms });
  await fundGig(stage, gigId, 'exact');
  await startGig(stage, gigId);
  return gigId;
}

/** Awards a tip to the person's account on Farcaster; `value` in whole tokens. @throws StepError */
export async function awardTip({ api }: Stage, gigId: number, who: string, value: string): Promise<void> {
  const account = { platform: 'farcaster', platform_user_id: String(person(who).fid), username: who };
  const made = await api('POST', `/api/gigs/${gigId}/tips`, { tips: [{ ...account, value }] });
  if (made.status !== 201) throw new StepError(describeAnswer(made));
}

type Read<T> = (seen: Seen) => T | null | Promise<T | null>;

/** Looks again and again until what `read` finds is not null. @throws StepError saying that `orElse` */
export async function until<T>(
  { watcher }: Stage,
  orElse: string,
  read: Read<T>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await wait(ASK_MS)) {
    await watcher.look();
    const found = await read(watcher.seen());
    if (found !== null) return found;
  }
  throw new StepError(`${orElse} within ${patienceMs / 1_000} s.`);
}

/** Asks the API until its answer is the one that is waited for. @throws StepError after a minute */
export async function untilAnswered<T>(stage: Stage, path: string, schema: z.ZodType<T>, isSo: (it: T) => boolean) {
  return await until(stage, `GET ${path}: the service has not decided`, async () => {
    const { data } = schema.safeParse((await stage.api('GET', path)).body);
    return data !== undefined && isSo(data) ? data : null;
  });
}

/** Waits until so many of the gig's accounts are held, or decided. @throws StepError after a minute */
export async function untilCounted(stage: Stage, gigId: number, what: 'held' | 'decided', accounts: number) {
  await untilAnswered(stage, `/api/gigs/${gigId}`, counted, ({ data }) => {
    const { held, awarded, refused } = data.earning.counts;
    return (what === 'held' ? held : awarded + refused) === accounts;
  });
}
