import { payoutsOf } from '../../../src/domain/claim.ts';
import type { Payment } from '../../../src/domain/payment.ts';
import type { Address } from '../../../src/domain/token.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { MIGRATIONS } from '../../support/store.ts';
import type { Bench } from './bench.ts';
import { CLAIMS, LEFT, PAID, TIPS } from './scenario.ts';

/** Nonces that somebody else spent with the key of a wallet. */
export type Foreign = ReadonlyMap<Address, number>;

async function usdcOf({ node, usdc }: Bench, owner: Address): Promise<bigint> {
  // balanceOf(address)
  const data = `0x70a08231${owner.slice(2).padStart(64, '0')}`;
  return await node.quantity('eth_call', [{ to: usdc, data }, 'latest']);
}

/** Whoever is to be paid holds what is theirs, and the wallets what is left. */
async function checkBalances(bench: Bench): Promise<string[]> {
  const { node, payers } = bench;
  const problems: string[] = [];
  const compare = (what: string, actual: bigint, expected: bigint) => {
    if (actual !== expected) problems.push(`${what}: ${actual} instead of ${expected}`);
  };
  for (const { owner, usdc, wei } of PAID) {
    compare(`USDC of ${owner}`, await usdcOf(bench, owner), usdc);
    compare(`wei of ${owner}`, await node.quantity('eth_getBalance', [owner, 'latest']), wei);
  }
  compare('USDC left in the gig', await usdcOf(bench, payers.usdc), LEFT.usdc);
  const left = await node.quantity('eth_getBalance', [payers.ether, 'latest']);
  if (left < LEFT.wei) problems.push(`wei left in the gig: ${left}, less than ${LEFT.wei}`);
  return problems;
}

async function checkPayment({ node }: Bench, payment: Payment): Promise<string[]> {
  const { id, kind, state, hash, reason } = payment;
  const name = `${kind} ${id}`;
  if (state === 'replaced') return hash === null ? [] : [`${name} is replaced, but landed`];
  if (state !== 'confirmed' || hash === null) return [`${name} is ${state}: ${reason}`];
  // What the node answers of a transaction that it has.
  const receipt = (await node.result('eth_getTransactionReceipt', [hash])) as { status: string; from: string } | null;
  if (receipt === null) return [`${name} is confirmed, but the chain has no transaction ${hash}`];
  if (receipt.status !== '0x1' || receipt.from !== payment.sender) {
    return [`${name} is confirmed, but its transaction is from ${receipt.from} with status ${receipt.status}`];
  }
  return [];
}

/** Every nonce that a wallet has spent is a landed payment's, or was spent by somebody else. */
async function checkNonces({ node, payers }: Bench, payments: readonly Payment[], foreign: Foreign) {
  const problems: string[] = [];
  for (const wallet of Object.values<Address>({ ...payers })) {
    const landed = new Set(payments.filter(({ sender }) => sender === wallet).flatMap(({ hash }) => hash ?? []));
    const expected = BigInt(landed.size + (foreign.get(wallet) ?? 0));
    const spent = await node.quantity('eth_getTransactionCount', [wallet, 'pending']);
    if (spent !== expected) problems.push(`${wallet} has sent ${spent} transactions, the ledger knows of ${expected}`);
  }
  const replaced = payments.filter(({ state }) => state === 'replaced').length;
  const allowed = [...foreign.values()].reduce((sum, count) => sum + count, 0);
  if (replaced > allowed) problems.push(`${replaced} payments are replaced, ${allowed} nonces were spent elsewhere`);
  return problems;
}

async function checkClaims(store: Store): Promise<string[]> {
  const problems: string[] = [];
  const claims = await store.claims({ limit: 100 });
  if (claims.length !== CLAIMS.length) problems.push(`there are ${claims.length} claims`);
  let paid = 0;
  for (const claim of claims) {
    const status = { claim, payments: await store.paymentsOfClaim(claim.id) };
    for (const { payment, outcome } of payoutsOf(status)) {
      if (outcome !== 'success') problems.push(`claim ${claim.id}: payout ${payment.id} is ${outcome}`);
      for (const { id, status, txHash } of await store.tipsOfPayment(payment.id)) {
        if (status === 'claimed' && txHash === payment.hash) paid += 1;
        else problems.push(`tip ${id} is ${status} with hash ${txHash}, its payout's is ${payment.hash}`);
      }
    }
  }
  if (paid !== TIPS) problems.push(`${paid} tips are paid instead of ${TIPS}`);
  return problems;
}

/** Whatever is wrong in the chain or in the ledger after all was paid; empty when each tip was paid exactly once. */
export async function verify(bench: Bench, databasePath: string, foreign: Foreign): Promise<string[]> {
  // What waits anywhere must come now or never.
  for (let block = 0; block < 3; block += 1) await bench.node.mine();
  const store = await openSqliteStore({ path: databasePath, migrationsFolder: MIGRATIONS });
  try {
    const payments = await store.payments({ limit: 1_000 });
    const checked = [];
    for (const payment of payments) checked.push(...(await checkPayment(bench, payment)));
    return [
      ...checked,
      ...(await checkNonces(bench, payments, foreign)),
      ...(await checkBalances(bench)),
      ...(await checkClaims(store)),
    ];
  } finally {
    await store.close();
  }
}
