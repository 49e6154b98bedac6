import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { MNEMONIC } from '../../../sandbox/people.ts';
import { createAuditors, createWriters } from '../../../src/chain/registry.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import { COMMAND_LINE } from '../../../src/domain/actor.ts';
import { AdapterError, DomainError } from '../../../src/domain/errors.ts';
import { createLog } from '../../../src/log.ts';
import { acknowledgeActivity } from '../../../src/services/audits/acknowledge-activity.ts';
import { acknowledgeTankNonces } from '../../../src/services/audits/acknowledge-gas-tank.ts';
import { claimRewards } from '../../../src/services/claims/claim-rewards.ts';
import { isHeldTopUp } from '../../../src/services/payments/foreign-nonces.ts';
import { createPaymentWorker } from '../../../src/services/payments/payment-worker.ts';
import type { Store, StoreTx } from '../../../src/store/port/index.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { ANSWER_PATIENCE_MS, CHAIN, type Order, type Suicide } from './order.ts';

// A process that makes the claims of its order, pays until nothing is left to pay, and says how often it committed.

const PATIENCE_MS = 30_000;
const IDLE_MS = 5;

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** The store, counting what it commits, and deadly at the commit that the order names. */
function counting(store: Store, suicide: Suicide | null): Store & { commits(): number } {
  let count = 0;
  return {
    ...store,
    commits: () => count,
    async transaction<T>(run: (tx: StoreTx) => Promise<T>): Promise<T> {
      let number = 0;
      const result = await store.transaction(async (tx) => {
        const value = await run(tx);
        count += 1;
        number = count;
        if (suicide?.when === 'before' && suicide.commit === number) die();
        return value;
      });
      if (suicide?.when === 'after' && suicide.commit === number) die();
      return result;
    },
  };
}

// Written by the harness, in this very shape.
const order = JSON.parse(process.argv[2] ?? '') as Order;
const { databasePath: path, migrationsFolder, rpcUrl } = order;
const clock = Date.now;
const deadline = clock() + PATIENCE_MS;
const opened = await openSqliteStore({ path, migrationsFolder });
const store = counting(opened, order.suicide);
const wallets = createWallets(MNEMONIC);
const writers = createWriters({
  endpoints: [{ chain: CHAIN, rpcUrl }],
  clock,
  wallets,
  // Without retries every fault gets through to the payments.
  timeoutMs: ANSWER_PATIENCE_MS,
  deadlineMs: 2 * ANSWER_PATIENCE_MS,
  retries: 0,
});
const log = createLog({ level: 'warn', destination: { write: (line) => void process.stderr.write(line) } });
const timing = { rebroadcastMs: 50, replaceMs: 300, refusedMs: 0, barelyRefusedMs: 0 };
const deps = { store, writers, wallets, clock, log, timing };
const claimDeps = { store, wallets, clock, platforms: new Map(), newId: randomUUID, wakePayments: () => undefined };

for (const { fid: platformUserId, postId, recipient } of order.claims) {
  const text = `claim my rewards ${recipient}`;
  const now = clock();
  const post = {
    platform: 'farcaster',
    platformUserId,
    postId,
    text,
    postedAt: now,
    seenAt: now,
    retry: true,
  } as const;
  await claimRewards(claimDeps, post);
}
const auditors = createAuditors({ endpoints: [{ chain: CHAIN, rpcUrl }], clock });
const operator = { ...deps, store: opened, auditors, actor: COMMAND_LINE };

/** Does what an operator does again later when it is refused, or the chain does not answer. */
async function lookAgain(accept: () => Promise<unknown>): Promise<void> {
  await accept().catch((error: unknown) => {
    if (!(error instanceof DomainError) && !(error instanceof AdapterError)) throw error;
  });
}

const paying = createPaymentWorker(deps, { chainId: CHAIN.id, wake: () => undefined });
while ((await store.busySenders()).length > 0) {
  if (clock() > deadline) throw new Error('the payments did not come to an end');
  // An operator who looked accepts that another hand has spent a nonce of a gig's wallet or of the gas tank, and lets it go
  // on. Until the chain has confirmed what it did that is refused, and tried again.
  for (const { gigId } of await opened.frozenGigs()) await lookAgain(() => acknowledgeActivity(operator, { gigId }));
  const waiting = await opened.transfers({ kind: 'gas', state: 'planned', limit: 1_000 });
  if (waiting.some(isHeldTopUp)) {
    await lookAgain(() => acknowledgeTankNonces(operator, { chainId: CHAIN.id, actor: COMMAND_LINE }));
  }
  await paying.poll();
  await wait(IDLE_MS);
}
await paying.stop();
process.stdout.write(`${store.commits()}\n`);
await store.close();
