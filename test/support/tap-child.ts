import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createPayerChains } from '../../src/chain/registry.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { chainById } from '../../src/domain/chains/chain.ts';
import { DomainError } from '../../src/domain/errors.ts';
import type { Address } from '../../src/domain/gigs/token.ts';
import type { SocialPlatform } from '../../src/domain/mentions/mention.ts';
import { createLog } from '../../src/log.ts';
import { claimByTap } from '../../src/services/claims/claim-by-tap.ts';
import { PAYMENT_POLICY, SENDER_TIMING } from '../../src/services/payments/sender/context.ts';
import { pulse } from '../../src/services/payments/sender/pulse.ts';
import { createTaps } from '../../src/sign-in/jfs.ts';
import { openStore } from '../../src/store/open.ts';
import { type Death, dyingStore } from './dying-store.ts';
import { MIGRATIONS } from './store.ts';

// A process that takes a tap which claims, and pays until nothing is left to pay. It kills itself before or after the commit that its
// order names, if it comes so far. The order is JSON in argv[2].

/** What the process is to do. */
export interface TapOrder {
  /** The database. */
  readonly url: string;
  readonly rpcUrl: string;
  /** Of chain 10. */
  readonly registryUrl: string;
  readonly publicUrl: string;
  readonly mnemonic: string;
  readonly tap: string;
  /** The verified address of every account. */
  readonly verified: Address;
  readonly dies: Death | null;
}

const order = JSON.parse(process.argv[2] ?? '') as TapOrder;

const clock = Date.now;
const chain = chainById(31337);
if (chain === undefined) throw new Error('anvil is not a known chain');
const tap = await createTaps({ publicUrl: order.publicUrl, rpcUrls: [order.registryUrl], clock }).verify(
  order.tap,
  'claim',
);
if (typeof tap === 'string') throw new Error(`the tap is refused: ${tap}`);
const real = await openStore({ url: order.url, migrationsFolder: MIGRATIONS });
await real.begin();
const store = dyingStore(real, order.dies);
const wallets = createWallets(order.mnemonic);
// All that a tap asks of a platform.
const farcaster = { primaryAddress: async () => order.verified } as unknown as SocialPlatform;
const platforms = new Map([['farcaster', farcaster]]);
const claiming = { store, clock, platforms, wallets, newId: randomUUID, wakePayments: () => undefined };
await claimByTap(claiming, { ...tap, requestId: null }).catch((error: unknown) => {
  if (!(error instanceof DomainError)) throw error;
});
const payer = createPayerChains({ endpoints: [{ chain, rpcUrls: [order.rpcUrl] }], clock, wallets }).payer(chain.id);
const timing = { ...SENDER_TIMING, settleMs: 20, lookMs: 20 };
const log = createLog({ level: 'silent' });
while ((await pulse({ store, clock, log, timing, policy: PAYMENT_POLICY }, payer)) !== 'done') await wait(20);
await real.close();
process.stdout.write('done\n');
