import { Gauge, Histogram, type Registry } from 'prom-client';
import { toFloat } from '../../../domain/amount.ts';
import { chainById } from '../../../domain/chains/chain.ts';
import {
  DURATION_BOUNDS,
  type DurationKind,
  type DurationTotal,
  dayNumber,
} from '../../../domain/operators/day-sums.ts';
import type { TimedReads } from '../../../services/context.ts';

interface CountedOptions {
  readonly name: string;
  readonly help: string;
  readonly registers: Registry[];
}

/** A histogram of what the store has counted, also before this process; nothing is observed in it. */
class CountedHistogram extends Histogram {
  readonly #options: CountedOptions;
  #totals: readonly DurationTotal[] = [];

  constructor(options: CountedOptions) {
    super({ ...options, buckets: DURATION_BOUNDS.map((ms) => ms / 1_000) });
    this.#options = options;
  }

  set(totals: readonly DurationTotal[]): void {
    this.#totals = totals;
  }

  #counted(bound: number): number {
    return this.#totals.reduce((sum, { bucket, n }) => (bucket <= bound ? sum + n : sum), 0);
  }

  /** What the library asks a histogram for when it writes its text. */
  async getForPromString() {
    const { name, help } = this.#options;
    const value = (part: string, labels: Readonly<Record<string, string | number>>, value: number) => ({
      metricName: `${name}_${part}`,
      labels,
      sharedLabels: {},
      value,
    });
    const count = this.#counted(Number.POSITIVE_INFINITY);
    const total = this.#totals.reduce((sum, each) => sum + each.total, 0);
    return {
      name,
      help,
      type: 'histogram',
      values: [
        ...DURATION_BOUNDS.map((ms) => value('bucket', { le: ms / 1_000 }, this.#counted(ms))),
        value('bucket', { le: '+Inf' }, count),
        value('sum', {}, total / 1_000),
        value('count', {}, count),
      ],
    };
  }
}

/** Money and time of all instances, from the sums that the store keeps. @returns reads them, before each scrape */
export function watchMoney({ store, clock }: TimedReads, registers: Registry[]): () => Promise<void> {
  const paid = new Gauge({
    name: 'gigclaim_tokens_paid',
    help: 'Tokens paid by confirmed payouts, in whole tokens, for the ten tokens that most gigs use',
    labelNames: ['chain', 'token', 'symbol'],
    registers,
  });
  const gas = new Gauge({
    name: 'gigclaim_gas_used',
    help: 'Gas that all payments have used, and may still use',
    labelNames: ['chain'],
    registers,
  });
  const waiting = new Gauge({
    name: 'gigclaim_oldest_waiting_payment_seconds',
    help: 'How long the oldest payment that is not settled has waited; 0 when none waits',
    registers,
  });
  const histogram = (name: string, help: string) => new CountedHistogram({ name, help, registers });
  const times: Readonly<Record<DurationKind, CountedHistogram>> = {
    reply: histogram('gigclaim_reply_duration_seconds', 'From the post of a mention to its reply'),
    payment: histogram('gigclaim_payment_duration_seconds', 'From a claim to its settled payout'),
  };
  const keyOf = (chainId: number) => chainById(chainId)?.key ?? String(chainId);
  return async () => {
    const now = clock();
    const tokens = await store.tokenSums({ since: dayNumber(now) });
    paid.reset();
    for (const { token, paid: amount } of tokens) {
      const { chainId, address, symbol, decimals } = token;
      paid.set({ chain: keyOf(chainId), token: address, symbol }, toFloat(amount, decimals));
    }
    for (const [chainId, used] of await store.gasUsed(null)) gas.set({ chain: keyOf(chainId) }, Number(used));
    const oldest = await store.oldestWaitingPayment();
    waiting.set(oldest === null ? 0 : Math.max(0, now - oldest) / 1_000);
    const durations = await store.allDurations();
    times.reply.set(durations.filter(({ kind }) => kind === 'reply'));
    times.payment.set(durations.filter(({ kind }) => kind === 'payment'));
  };
}
