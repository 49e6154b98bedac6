import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createPayerChains } from '../../src/chain/registry.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { chainById } from '../../src/domain/chains/chain.ts';
import { createLog } from '../../src/log.ts';
import { claimByPage } from '../../src/services/owners/rewards.ts';
import { findOwnerSession } from '../../src/services/owners/sessions.ts';
import { PAYMENT_POLICY, SENDER_TIMING } from '../../src/services/payments/sender/context.ts';
import { pulse } from '../../src/services/payments/sender/pulse.ts';
import { openStore } from '../../src/store/open.ts';
import { type Death, dyingStore } from './dying-store.ts';
import { MIGRATIONS } from './store.ts';

// A process that takes a form which claims by a button, and pays until nothing is left to pay. It kills itself before or after the
// commit that its order names, if it comes so far. The order is JSON in argv[2].

/** What the process is to do. */
export interface PageClaimOrder {
  /** The database. */
  readonly url: string;
  readonly rpcUrl: string;
  readonly mnemonic: string;
  /** The token of the owner's session. */
  readonly session: string;
  readonly account: { readonly platform: string; readonly platformUserId: string };
  readonly key: string;
  readonly recipient: string;
  readonly dies: Death | null;
}

const order = JSON.parse(process.argv[2] ?? '') as PageClaimOrder;

const clock = Date.now;
const chain = chainById(31337);
if (chain === undefined) throw new Error('anvil is not a known chain');
const real = await openStore({ url: order.url, migrationsFolder: MIGRATIONS });
await real.begin();
const store = dyingStore(real, order.dies);
const wallets = createWallets(order.mnemonic);
const signedIn = await findOwnerSession({ store, clock }, order.session);
if (signedIn === null) throw new Error('the session is over');
const claiming = { store, clock, platforms: new Map(), wallets, newId: randomUUID, wakePayments: () => undefined };
const { account, key, recipient } = order;
await claimByPage(claiming, { signedIn, account, key, recipient, requestId: null });
const payer = createPayerChains({ endpoints: [{ chain, rpcUrls: [order.rpcUrl] }], clock, wallets }).payer(chain.id);
const timing = { ...SENDER_TIMING, settleMs: 20, lookMs: 20 };
const log = createLog({ level: 'silent' });
while ((await pulse({ store, clock, log, timing, policy: PAYMENT_POLICY }, payer)) !== 'done') await wait(20);
await real.close();
process.stdout.write('done\n');
