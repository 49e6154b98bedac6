import type { Actor } from '../../domain/actor.ts';
import type { Chain, ChainWriters, GigWallets } from '../../domain/chain.ts';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import type { Address } from '../../domain/token.ts';
import type { Store } from '../../store/port/index.ts';
import { recordEvent } from '../operators/audit-events.ts';

export interface TankDeps {
  readonly store: Pick<Store, 'transaction' | 'nextNonce' | 'gasTankNonces'>;
  readonly writers: ChainWriters;
  readonly wallets: GigWallets;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

interface TankReads {
  readonly store: Pick<Store, 'openTransfer'>;
}

/** The gas tank's nonces on one chain. */
export interface TankNonces {
  readonly chain: Chain;
  readonly address: Address;
  /** Nonces that are spent for good. */
  readonly spent: number;
  /** Nonces that the database knows or has acknowledged. */
  readonly known: number;
}

/**
 * Stores how many nonces the gas tank had spent on a chain when the store first saw it, so that later backups hold it.
 * @throws AdapterError when the chain does not answer
 */
export async function keepFirstTankNonces({ store, writers, wallets, clock }: TankDeps, chainId: number) {
  const sender = wallets.gasTankAddress();
  if ((await store.gasTankNonces(chainId)) !== null || (await store.nextNonce({ chainId, sender })) !== null) return;
  const { latest } = await writers.writer(chainId).spentNonces(sender);
  await store.transaction(async (tx) => {
    if ((await tx.gasTankNonces(chainId)) === null) await tx.acknowledgeGasTankNonces(chainId, latest, clock());
  });
}

/**
 * Acknowledges unrecognized activity of the gas tank on a chain: top-ups are signed again, under the next nonce.
 * New activity blocks them again.
 * @throws DomainError `invalid_request` while one of its transactions is not final
 * @throws AdapterError when the chain does not answer
 */
export async function acknowledgeTankNonces(
  { store, writers, wallets, clock }: TankDeps,
  { chainId, actor }: { chainId: number; actor: Actor },
): Promise<TankNonces> {
  const writer = writers.writer(chainId);
  const address = wallets.gasTankAddress();
  const { latest, final } = await writer.spentNonces(address);
  if (latest !== final) {
    const message = `A transaction of the gas tank is landing on ${writer.chain.name}; try again in a moment.`;
    throw new DomainError({ code: 'invalid_request', message });
  }
  const next = (await store.nextNonce({ chainId, sender: address })) ?? 0;
  const known = Math.max(next, (await store.gasTankNonces(chainId)) ?? 0);
  if (latest > known) {
    const now = clock();
    await store.transaction(async (tx) => {
      await tx.acknowledgeGasTankNonces(chainId, latest, now);
      const detail = { from: known, to: latest - 1 };
      const event = { action: 'gas_tank.accept', subject: 'chain', subjectId: String(chainId), gigId: null } as const;
      await recordEvent(tx, { actor, now }, { ...event, detail });
    });
  }
  return { chain: writer.chain, address, spent: latest, known };
}

/**
 * Refuses to use the gas tank beside the payments while the ledger would not know what it did.
 * @throws DomainError `invalid_request` while a top-up is on its way, or when the chain knows more transactions than the store
 * @throws AdapterError when the chain does not answer
 */
export async function refuseBusyTank(
  { store, writers, wallets }: Omit<TankDeps, 'clock'> & TankReads,
  chainId: number,
): Promise<void> {
  const sender = wallets.gasTankAddress();
  const writer = writers.writer(chainId);
  if ((await store.openTransfer({ chainId, sender })) !== null) {
    throw invalidRequest(`A top-up of the gas tank is on its way on ${writer.chain.name}; try again in a moment.`);
  }
  const known = await store.gasTankNonces(chainId);
  const next = await store.nextNonce({ chainId, sender });
  if (known === null && next === null) return;
  const { latest } = await writer.spentNonces(sender);
  if (latest <= Math.max(known ?? 0, next ?? 0)) return;
  throw invalidRequest(
    `The chain knows more transactions of the gas tank than this database; when you know them, run npm run admin -- gas-tank accept ${writer.chain.key}.`,
  );
}

/** Stores a transaction of the gas tank that was sent beside the payments, and by whom. */
export async function noteTankNonce(
  { store, clock }: Pick<TankDeps, 'store' | 'clock'>,
  { chainId, nonce, actor }: { chainId: number; nonce: number; actor: Actor },
) {
  const now = clock();
  await store.transaction(async (tx) => {
    await tx.acknowledgeGasTankNonces(chainId, nonce + 1, now);
    const event = { action: 'gas_tank.accept', subject: 'chain', subjectId: String(chainId), gigId: null } as const;
    await recordEvent(tx, { actor, now }, { ...event, detail: { from: nonce, to: nonce } });
  });
}
