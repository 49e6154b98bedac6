import { createLocalChain, type LocalToken } from '../../../sandbox/chain.ts';
import { MNEMONIC } from '../../../sandbox/people.ts';
import { createChains } from '../../../src/chain/registry.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import { COMMAND_LINE } from '../../../src/domain/actor.ts';
import type { Address, Token } from '../../../src/domain/token.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../../src/domain/token.ts';
import { createLog } from '../../../src/log.ts';
import { checkFundings } from '../../../src/services/gigs/check-funding.ts';
import { startGig } from '../../../src/services/gigs/start-gig.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { MIGRATIONS, seedGig, seedTips, seedToken } from '../../support/store.ts';
import { CHAIN, type Order } from './order.ts';

const ETHER = 10n ** 18n;
const UNIT = 10n ** 6n;
const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const BOB = { platform: 'farcaster', platformUserId: '1002' } as const;
const ALICE_IS_PAID_AT: Address = '0x00000000000000000000000000000000000a11ce';
const BOB_IS_PAID_AT: Address = '0x0000000000000000000000000000000000000b0b';
const ELSEWHERE: Address = '0x000000000000000000000000000000000000dead';
const TREASURY: Address = '0x0000000000000000000000000000000000000fee';

/** Alice claims two tips of a gig in USDC and one of a gig in ether, Bob one of the gig in USDC. */
export const CLAIMS: Order['claims'] = [
  { fid: ALICE.platformUserId, postId: '0x00000000000000000000000000000000000000a1', recipient: ALICE_IS_PAID_AT },
  { fid: BOB.platformUserId, postId: '0x00000000000000000000000000000000000000b1', recipient: BOB_IS_PAID_AT },
];

/** What everybody must hold when all is paid: base units of USDC and wei. Tips, a fee of 5 USDC, and nothing else. */
export const PAID: readonly { readonly owner: Address; readonly usdc: bigint; readonly wei: bigint }[] = [
  { owner: ALICE_IS_PAID_AT, usdc: 12_500_001n, wei: 300_000_000_000_000_000n },
  { owner: BOB_IS_PAID_AT, usdc: 7_000_000n, wei: 0n },
  { owner: TREASURY, usdc: 5_000_000n, wei: 0n },
];
/** What must be left of 105 USDC, and of an ether, with gas on top. */
export const LEFT = { usdc: 80_499_999n, wei: 700_000_000_000_000_000n } as const;
export const TIPS = 4;

/** The wallets that pay: of the gig in USDC, of the gig in ether, and the gas tank. */
export interface Payers {
  readonly usdc: Address;
  readonly ether: Address;
  readonly tank: Address;
}

async function seedNative(store: Store): Promise<Token> {
  const address = NATIVE_TOKEN_ADDRESS;
  return await seedToken(store, { ...CHAIN.nativeCurrency, address, chainId: CHAIN.id, isNative: true });
}

async function seedLocal(store: Store, { address, name, symbol, decimals }: LocalToken): Promise<Token> {
  return await seedToken(store, { address, name, symbol, decimals, chainId: CHAIN.id });
}

/**
 * Starts the two gigs, funded to the base unit and with no gas of their own, and awards the tips, on a node that makes a
 * block for each transaction and in a new database.
 */
export async function prepare({ url, databasePath }: { url: string; databasePath: string }) {
  const local = createLocalChain({ url, mnemonic: MNEMONIC });
  const wallets = createWallets(MNEMONIC);
  const usdc = await local.deploy({ name: 'USD Coin', symbol: 'USDC', decimals: 6 });
  const store = await openSqliteStore({ path: databasePath, migrationsFolder: MIGRATIONS });
  const start = { store, chains: createChains({ endpoints: [{ chain: CHAIN, rpcUrl: url }], clock: Date.now }) };
  const walletAddress = wallets.gigAddress;
  const inUsdc = await seedGig(store, {
    tokenId: (await seedLocal(store, usdc)).id,
    rewardAmount: 100n * UNIT,
    feeAmount: 5n * UNIT,
    walletAddress,
  });
  const inEther = await seedGig(store, {
    tokenId: (await seedNative(store)).id,
    rewardAmount: ETHER,
    feeAmount: 0n,
    walletAddress,
  });
  await local.send({ token: usdc, to: inUsdc.walletAddress, amount: 105n * UNIT });
  await local.send({ token: null, to: inEther.walletAddress, amount: ETHER });
  for (const { id: gigId } of [inUsdc, inEther]) {
    await startGig({ ...start, treasury: TREASURY, clock: Date.now }, { gigId, holder: 'chaos', actor: COMMAND_LINE });
  }
  // Nothing is paid before the funding has settled, and each transaction makes a block.
  for (let blocks = 0; blocks < CHAIN.confirmations; blocks += 1) {
    await local.send({ token: null, to: ELSEWHERE, amount: 1n });
  }
  const log = createLog({ level: 'fatal', destination: { write: () => undefined } });
  await checkFundings({ ...start, clock: Date.now, log }, CHAIN.id);
  await seedTips(store, inUsdc, [
    { ...ALICE, amount: 12_500_000n },
    { ...ALICE, amount: 1n },
    { ...BOB, amount: 7n * UNIT },
  ]);
  await seedTips(store, inEther, [{ ...ALICE, amount: 300_000_000_000_000_000n }]);
  await store.close();
  const payers: Payers = {
    usdc: inUsdc.walletAddress,
    ether: inEther.walletAddress,
    tank: wallets.gasTankAddress(),
  };
  return { usdc: usdc.address, payers };
}
