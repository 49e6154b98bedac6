import type { BlockRef } from '../../../../domain/chains/block.ts';
import { AdapterError } from '../../../../domain/errors.ts';
import type { PaidEvent, PayerChain, Witness } from '../../../../domain/payments/payer-chain.ts';

/** Whether all endpoints of a chain show the same payments. */
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

/** What an endpoint has instead of a settled block; null when it has that. */
async function otherBlock({ payer }: Witness, settled: BlockRef): Promise<string | null> {
  const block = await payer.block(settled.number);
  if (block === null) return `does not have block ${settled.number} yet`;
  return block.hash === settled.hash ? null : `has another block ${settled.number}`;
}

/** What an endpoint tells instead of a payment; null when it tells the same. */
async function otherPayment({ payer }: Witness, event: PaidEvent): Promise<string | null> {
  const { wallet, blockNumber, numbers } = event;
  const all = await payer.paidEvents({ wallets: [wallet], from: blockNumber, to: blockNumber });
  const [same, ...others] = all.filter((each) => each.numbers.some((number) => numbers.includes(number)));
  if (same !== undefined && others.length === 0 && isSame(same, event)) return null;
  return `shows another payment by ${wallet}, or none, in block ${blockNumber}`;
}

/** Says which endpoints of the chain contradict, and one that does not; undefined when none does. */
async function hearEach(
  { witnesses }: PayerChain,
  contradict: (witness: Witness) => Promise<string | null>,
): Promise<string | undefined> {
  const answers = await Promise.all(
    witnesses.map(async (witness) => {
      try {
        return { name: witness.name, why: await contradict(witness) };
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error;
        return { name: witness.name, why: 'does not answer' };
      }
    }),
  );
  const against = answers.filter(({ why }) => why !== null).map(({ name, why }) => `${name} ${why}`);
  const [other] = answers.filter(({ why }) => why === null);
  if (against.length === 0) return undefined;
  return [against.join(', '), ...(other === undefined ? [] : [`unlike ${other.name}`])].join(', ');
}

/** Which endpoints of the chain do not have this settled block; undefined when all have it. */
export async function hearOfBlock(payer: PayerChain, settled: BlockRef): Promise<string | undefined> {
  return await hearEach(payer, (witness) => otherBlock(witness, settled));
}

/**
 * Asks every endpoint of the chain about payments that one has shown, because one alone can lie. The only endpoint of a
 * chain is believed.
 */
export async function hearAll(
  payer: PayerChain,
  { events, settled }: { events: readonly PaidEvent[]; settled: BlockRef },
): Promise<Testimony> {
  const agreed = new Set<PaidEvent>();
  let doubt: string | undefined;
  for (const event of events) {
    const against = await hearEach(
      payer,
      async (witness) => (await otherBlock(witness, settled)) ?? (await otherPayment(witness, event)),
    );
    if (against === undefined) agreed.add(event);
    doubt ??= against;
  }
  return { agreed, doubt };
}
