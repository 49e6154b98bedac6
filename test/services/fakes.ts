import type { Platform } from '../../src/domain/account.ts';
import { type Balance, type BalanceQuery, type Chain, type Chains, chainByKey } from '../../src/domain/chains/chain.ts';
import { AdapterError, type AdapterFault } from '../../src/domain/errors.ts';
import type { Address } from '../../src/domain/gigs/token.ts';
import type { LeasedReply, OutgoingReply, PolledEvents, SocialPlatform } from '../../src/domain/mentions/mention.ts';
import { REPLY_WORTH } from '../../src/domain/mentions/reply-worth.ts';
import { createLog, type Log } from '../../src/log.ts';
import { createHeldSteps } from '../../src/services/gigs/steps/held-steps.ts';
import { SEEDED_AT } from '../support/store.ts';

/** A clock that stands still until it is told to go on. */
export function createClock() {
  let now = SEEDED_AT;
  return {
    clock: () => now,
    advance: (ms: number) => {
      now += ms;
    },
  };
}

/** A log that keeps its lines. */
/** A log that is kept, and the automatic steps of a process that wait. */
export function keepSteps(clock: () => number = Date.now) {
  const kept = keepLog();
  return { ...kept, heldSteps: createHeldSteps({ clock, log: kept.log }) };
}

export function keepLog(): { log: Log; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ level: 'debug', destination: { write: (line) => lines.push(JSON.parse(line)) } });
  return { log, lines };
}

/** The mention of a reply that was sent. */
export const ANSWERED: LeasedReply['mention'] = { postId: '1', replyTo: '1', threadId: '1', authorId: 'alice' };

/** A reply to an author in a thread of that author's own. */
export function replyTo(authorId: string, overrides: Partial<LeasedReply> = {}): LeasedReply {
  const id = overrides.id ?? Number(authorId.replaceAll(/\D/g, '') || 1);
  return {
    id,
    mentionId: id,
    platform: 'twitter',
    kind: 'answer',
    text: 'nothing to claim',
    worth: REPLY_WORTH.lookUp,
    followUp: false,
    notice: null,
    heldFor: null,
    createdAt: SEEDED_AT,
    state: 'queued',
    attempts: 0,
    postId: null,
    sentAt: null,
    lastError: null,
    lease: 'lease',
    mention: { postId: authorId, replyTo: authorId, threadId: `thread of ${authorId}`, authorId },
    ...overrides,
  };
}

/** A failure as an adapter reports it. */
export function fault(reason: AdapterFault['reason'], retry: AdapterFault['retry'], retryAfterMs?: number) {
  return new AdapterError({ reason, retry, retryAfterMs, message: `the network said ${reason}` });
}

interface Posted extends OutgoingReply {
  readonly postId: string;
}

/** What the network does with the next reply: refuses it, or posts it and loses the answer. */
type Outcome = { refuse: AdapterError } | { lose: AdapterError };

/** A social network in memory. It keeps what was posted, and fails as it is told to. */
export function createNetwork(platform: Platform) {
  const idempotent = platform === 'farcaster';
  const posts: Posted[] = [];
  const calls: string[] = [];
  const outcomes: Outcome[] = [];
  const lookUpFailures: AdapterError[] = [];
  const polls: (PolledEvents | AdapterError)[] = [];
  const asked: { cursor: string | null; since: number }[] = [];
  let delayed = false;

  function post(reply: OutgoingReply): Posted {
    const before = idempotent ? posts.find(({ idem }) => idem === reply.idem) : undefined;
    if (before !== undefined) return before;
    const posted = { ...reply, postId: `${platform}-post-${posts.length + 1}` };
    posts.push(posted);
    return posted;
  }

  const network: SocialPlatform = {
    platform,
    bot: { id: '4242', username: 'gigclaim' },
    payoutAddresses: async () => [],
    primaryAddress: async () => null,
    idempotent,
    replyLimit: idempotent ? 320 : 280,
    replyBudget: [],
    acts: null,
    measure: (text) => (idempotent ? Buffer.byteLength(text) : text.length),
    verify: () => false,
    parse: () => [],
    async reply(reply) {
      calls.push('reply');
      const outcome = outcomes.shift();
      if (outcome !== undefined && 'refuse' in outcome) throw outcome.refuse;
      const { postId } = post(reply);
      if (outcome !== undefined) throw outcome.lose;
      return { postId };
    },
    async findReply({ replyTo, others = [] }) {
      calls.push('findReply');
      const failure = lookUpFailures.shift();
      if (failure !== undefined) throw failure;
      return delayed
        ? null
        : (posts.find((each) => each.replyTo === replyTo && !others.includes(each.postId))?.postId ?? null);
    },
    async pollEvents(query) {
      asked.push(query);
      const answer = polls.shift() ?? { events: [], cursor: query.cursor };
      if (answer instanceof AdapterError) throw answer;
      return answer;
    },
    lookUpPost: async () => null,
    resolveAccount: async () => null,
    check: async () => [],
    registerWebhook: async () => ({ detail: '', next: '', secret: null }),
    listWebhooks: async () => [],
    deleteWebhook: async () => undefined,
  };
  return {
    network,
    posts,
    /** The calls that concern replies, in order. */
    calls,
    /** What each look for mentions asked for. */
    asked,
    refuse: (error: AdapterError, times = 1) => {
      for (let count = 0; count < times; count += 1) outcomes.push({ refuse: error });
    },
    lose: (error: AdapterError) => outcomes.push({ lose: error }),
    failLookUp: (error: AdapterError) => lookUpFailures.push(error),
    /** Whether what was posted does not show up yet. */
    delay: (value: boolean) => {
      delayed = value;
    },
    answerPoll: (answer: PolledEvents | AdapterError) => polls.push(answer),
  };
}

function requireChain(key: string): Chain {
  const chain = chainByKey(key);
  if (chain === undefined) throw new Error(`no chain ${key}`);
  return chain;
}

/** The chain Base in memory: balances of any token by owner, block 1234. */
export function createLedger() {
  const chain = requireChain('base');
  const balances = new Map<Address, bigint>();
  const failures: AdapterError[] = [];
  const before: (() => Promise<void>)[] = [];
  let reads = 0;

  async function balance(owner: Address): Promise<Balance> {
    reads += 1;
    await before.shift()?.();
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return { amount: balances.get(owner) ?? 0n, blockNumber: 1_234n };
  }

  const reader = {
    chain,
    decide: <T>(run: () => Promise<T>) => run(),
    balance: ({ owner }: { owner: Address }) => balance(owner),
    balances: async (queries: readonly BalanceQuery[]) =>
      await Promise.all(queries.map(async ({ wallet }) => (await balance(wallet)).amount)),
    balanceIn: ({ owner }: { owner: Address }) => balance(owner),
    holdings: async ({ owners }: { owners: readonly Address[] }) => ({
      block: { number: 1_230n, hash: `0x${'ab'.repeat(32)}` as const, at: SEEDED_AT },
      amounts: owners.map((owner) => balances.get(owner) ?? 0n),
      oddity: null,
    }),
    isCanonical: async () => true,
    settledBlock: async () => 1_230n,
    newestBlock: async () => ({ number: 1_234n, hash: `0x${'ab'.repeat(32)}` as const, at: SEEDED_AT }),
    firstBlockSince: async () => null,
    useOf: async () => ({ spentNonces: 0, hasCode: false, wei: 0n, amount: 0n }),
    standingOf: async () => ({ state: 'unknown' as const, blockNumber: null }),
    tokenMetadata: async () => ({ name: 'Degen', symbol: 'DEGEN', decimals: 18 }),
    feeds: async (feeds: readonly Address[]) => feeds.map(() => null),
    ping: async () => ({ blockNumber: 1_234n }),
    lastSuccess: () => (reads === 0 ? null : SEEDED_AT),
    endpoints: () => [],
  };
  const chains: Chains = {
    reader: (chainId) => {
      if (chainId === chain.id) return reader;
      throw new AdapterError({ retry: 'never', reason: 'unreachable', message: `chain ${chainId} is not enabled` });
    },
    list: () => [reader],
  };
  return {
    chains,
    fund: (owner: Address, amount: bigint) => balances.set(owner, amount),
    fail: (error: AdapterError, times = 1) => {
      for (let count = 0; count < times; count += 1) failures.push(error);
    },
    /** Does this in the middle of the next balance read. */
    during: (act: () => Promise<void>) => before.push(act),
    reads: () => reads,
  };
}
