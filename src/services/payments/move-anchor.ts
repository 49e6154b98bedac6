import type { BlockRef } from '../../domain/chains/block.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import type { PayerChain } from '../../domain/payments/payer-chain.ts';
import type { NumberedPayment } from '../../domain/payments/payment.ts';
import { recordEvent } from '../operators/audit-events.ts';
import type { PaymentContext } from './sender/context.ts';
import { findGone, takeBack } from './sender/found/recheck.ts';
import { hearOfBlock } from './sender/found/witnesses.ts';

/** A block that settled in the chain, below the one on which the ledger counts. */
async function requireEarlier(payer: PayerChain, { to, anchor }: { to: bigint; anchor: BlockRef | null }) {
  const { name, id } = payer.chain;
  if (anchor === null || to >= anchor.number) {
    const on = anchor === null ? 'none' : `block ${anchor.number}`;
    throw invalidRequest(`--to must be below the block of ${name} on which the ledger counts: that is ${on}.`);
  }
  const { settled } = await payer.head();
  const block = to > settled.number ? null : await payer.block(to);
  if (block === null) throw invalidRequest(`--to must be a settled block of ${name}: the newest is ${settled.number}.`);
  const doubt = await hearOfBlock(payer, settled);
  if (doubt !== undefined) {
    throw invalidRequest(`The endpoints of ${name} differ: ${doubt}. Take the wrong one out of RPC_URL_${id} first.`);
  }
  return { anchor, block, settled };
}

/** What nobody has claimed keeps its numbers by being confirmed alone: they would be given to other tips. */
function refuseFreed(gone: readonly NumberedPayment[], { name }: PayerChain['chain']): void {
  const freed = gone.filter(({ kind, claimId }) => kind === 'payout' && claimId === null);
  if (freed.length === 0) return;
  const ids = freed.map(({ id }) => id).join(', ');
  throw invalidRequest(
    `${name} does not show payments that the ledger has without a claim (${ids}): their numbers would be free for other ` +
      'tips. Nothing has changed; see payment show.',
  );
}

/**
 * Has the ledger count on an earlier block, after it followed an endpoint of a fork. Payments confirmed from there on are
 * read anew first, and those that the chain does not show are planned again under their numbers.
 * @throws DomainError `invalid_request` when the block is not earlier or not settled, endpoints differ, or numbers would be freed
 */
export async function moveAnchorBack(
  deps: PaymentContext,
  payer: PayerChain,
  { to, actor }: { to: bigint; actor: Actor },
): Promise<{ from: BlockRef; takenBack: readonly NumberedPayment[] }> {
  const { store, clock } = deps;
  const { id: chainId, key, name } = payer.chain;
  const found = await payer.decide(async () => {
    const facts = await requireEarlier(payer, { to, anchor: await store.chainAnchor(chainId) });
    return { ...facts, gone: await findGone(deps, payer, { from: facts.block, settled: facts.settled }) };
  });
  refuseFreed(found.gone, payer.chain);
  const takenBack = await store.transaction(async (tx) => {
    const isSame = (await tx.chainAnchor(chainId))?.hash === found.anchor.hash;
    if (!isSame)
      throw invalidRequest(`The ledger counts on another block of ${name} since a moment ago: run it again.`);
    const changed = await takeBack(tx, deps, found.gone);
    await tx.setChainAnchor(chainId, found.block);
    const detail = { from: found.anchor.number, to, taken_back: changed.map(({ id }) => id) };
    const event = { action: 'payments.anchor', subject: 'store', subjectId: key, gigId: null, detail } as const;
    await recordEvent(tx, { actor, now: clock() }, event);
    return changed;
  });
  return { from: found.anchor, takenBack };
}
