import type { BlockRef } from '../../../../domain/chains/block.ts';
import { AdapterError } from '../../../../domain/errors.ts';
import type { PaidEvent, PayerChain, Witness } from '../../../../domain/payments/payer-chain.ts';

/** What all endpoints of a chain tell of payments. */
export interface Testimony {
  /** The payments of which each tells the same. */
  readonly agreed: ReadonlySet<PaidEvent>;
  /** Which endpoint keeps the others from being agreed on, and how; undefined when all are. */
  readonly doubt: string | undefined;
}

function isSame(a: PaidEvent, b: PaidEvent): boolean {
  const isAlike = a.hash === b.hash && a.token === b.token && a.to === b.to && a.amount === b.amount;
  return isAlike && a.numbers.join() === b.numbers.join();
}

/** Null when the endpoint tells the same of a payment; else what it does instead. */
async function contradict({ payer }: Witness, event: PaidEvent, settled: BlockRef): Promise<string | null> {
  const { wallet, blockNumber, numbers } = event;
  try {
    const block = await payer.block(settled.number);
    if (block === null) return `does not have block ${settled.number} yet`;
    if (block.hash !== settled.hash) return `has another block ${settled.number}`;
    const all = await payer.paidEvents({ wallets: [wallet], from: blockNumber, to: blockNumber });
    const [same, ...others] = all.filter((each) => each.numbers.some((number) => numbers.includes(number)));
    if (same !== undefined && others.length === 0 && isSame(same, event)) return null;
    return `tells of another payment, or of none, by ${wallet} in block ${blockNumber}`;
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return 'does not answer';
  }
}

/**
 * Asks every endpoint of the chain about payments that one has told of, because one alone can lie. The only endpoint of a
 * chain is believed.
 */
export async function hearAll(
  payer: PayerChain,
  { events, settled }: { events: readonly PaidEvent[]; settled: BlockRef },
): Promise<Testimony> {
  const agreed = new Set<PaidEvent>();
  let doubt: string | undefined;
  for (const event of events) {
    const answers = await Promise.all(
      payer.witnesses.map(async (witness) => ({
        name: witness.name,
        why: await contradict(witness, event, settled),
      })),
    );
    const against = answers.filter(({ why }) => why !== null).map(({ name, why }) => `${name} ${why}`);
    const others = answers.filter(({ why }) => why === null).map(({ name }) => name);
    if (against.length === 0) agreed.add(event);
    else doubt ??= [against.join(', '), ...others.slice(0, 1).map((name) => `unlike ${name}`)].join(', ');
  }
  return { agreed, doubt };
}
