import type { LocalToken } from '../../../sandbox/chain.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import type { Node } from '../chaos/node.ts';
import type { Answers, Outage } from './answers.ts';
import type { Money } from './money.ts';
import type { Stage } from './stage.ts';
import type { Talk } from './talk.ts';
import type { Sample } from './watch.ts';

/** An amount that somebody must hold, in base units of the token. */
export interface Holding {
  /** Whose. */
  readonly name: string;
  readonly symbol: string;
  readonly expected: bigint;
  readonly held: bigint;
  /** Gas that was left over may be on top. */
  readonly orMore: boolean;
}

/** Everything that can be seen of a soak from outside the service. */
export interface Evidence {
  /** From the networks' timelines: how many replies of the bot each post has. */
  readonly mentions: readonly { readonly name: string; readonly acknowledged: boolean; readonly replies: number }[];
  /** Posts of the bot under something that nobody asked it. */
  readonly strayReplies: readonly string[];
  /** From the chain's balances: earners, the treasury, and what is left in the gigs' wallets. */
  readonly holdings: readonly Holding[];
  /** From the tokens' events: what left a gig's wallet to somebody who has nothing to do with it. */
  readonly strayTransfers: readonly string[];
  readonly gigs: readonly { readonly id: number; readonly live: boolean; readonly starts: number }[];
  /** What the operator's command says. */
  readonly reconcile: { readonly code: number | NodeJS.Signals; readonly output: string };
  readonly answers: Answers;
  readonly outages: readonly Outage[];
  readonly samples: readonly Sample[];
}

/** `Transfer(address,address,uint256)` */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

function isNative({ symbol }: LocalToken): boolean {
  return symbol === 'ETH';
}

async function balanceOf(node: Node, token: LocalToken, owner: Address): Promise<bigint> {
  if (isNative(token)) return await node.quantity('eth_getBalance', [owner, 'latest']);
  // balanceOf(address)
  const data = `0x70a08231${owner.slice(2).padStart(64, '0')}`;
  return await node.quantity('eth_call', [{ to: token.address, data }, 'latest']);
}

async function holdings({ node, tokens, treasury }: Stage, { gigs, earners }: Money): Promise<Holding[]> {
  const found: Holding[] = [];
  for (const token of tokens) {
    const hold = async (name: string, owner: Address, expected: bigint, orMore = false) => {
      const held = await balanceOf(node, token, owner);
      found.push({ name, symbol: token.symbol, expected, held, orMore });
    };
    const ofToken = gigs.filter((gig) => gig.token.address === token.address);
    for (const { author, recipient, earned } of earners) {
      await hold(author.username, recipient, earned.get(token.address) ?? 0n);
    }
    await hold(
      'the treasury',
      treasury,
      ofToken.reduce((sum, { fee }) => sum + fee, 0n),
    );
    for (const { id, wallet, reward, awarded } of ofToken) {
      await hold(`the wallet of gig ${id}`, wallet, reward - awarded, isNative(token));
    }
  }
  return found;
}

interface Event {
  readonly topics: readonly string[];
  readonly transactionHash: string;
}

/** The address in an event's topic, which is padded to 32 bytes. */
function addressIn(topic: string | undefined): string {
  return `0x${topic?.slice(26) ?? ''}`;
}

async function strayTransfers({ node, tokens, treasury }: Stage, { gigs, earners }: Money): Promise<string[]> {
  const wallets = new Set<string>(gigs.map(({ wallet }) => wallet));
  const known = new Set<string>([treasury, ...earners.map(({ recipient }) => recipient)]);
  const address = tokens.filter((token) => !isNative(token)).map((token) => token.address);
  const filter = { fromBlock: '0x0', toBlock: 'latest', address, topics: [TRANSFER] };
  // What the node answers to this question.
  const events = (await node.result('eth_getLogs', [filter])) as Event[];
  return events
    .filter(({ topics: [, from, to] }) => wallets.has(addressIn(from)) && !known.has(addressIn(to)))
    .map(
      ({ transactionHash, topics: [, from, to] }) => `${transactionHash} from ${addressIn(from)} to ${addressIn(to)}`,
    );
}

/** How many posts of the bot there are under each post, by network and id. */
function repliesByPost({ networks }: Stage, bot: string): Map<string, number> {
  const replies = new Map<string, number>();
  for (const { platform, posts } of Object.values(networks)) {
    for (const { author, replyTo } of posts()) {
      if (author.username !== bot) continue;
      const key = `${platform} ${replyTo}`;
      replies.set(key, (replies.get(key) ?? 0) + 1);
    }
  }
  return replies;
}

/** Looks at the networks, the chain and the operator's command; changes nothing. */
export async function gather(soak: {
  stage: Stage;
  talk: Talk;
  money: Money;
  answers: Answers;
  samples: readonly Sample[];
  bot: string;
}): Promise<Evidence> {
  const { stage, talk, money, answers, samples } = soak;
  const replies = repliesByPost(stage, soak.bot);
  const mentions = talk.mentions.map(({ platform, postId, acknowledged, text }) => ({
    name: `${platform} ${postId} (${text})`,
    acknowledged,
    replies: replies.get(`${platform} ${postId}`) ?? 0,
  }));
  const asked = new Set(talk.mentions.map(({ platform, postId }) => `${platform} ${postId}`));
  return {
    mentions,
    answers,
    samples,
    outages: stage.outages,
    strayReplies: [...replies.keys()].filter((key) => !asked.has(key)),
    holdings: await holdings(stage, money),
    strayTransfers: await strayTransfers(stage, money),
    gigs: money.gigs.map(({ id, live, starts }) => ({ id, live, starts })),
    reconcile: await stage.admin('reconcile'),
  };
}
