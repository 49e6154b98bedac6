import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MNEMONIC } from '../../../sandbox/people.ts';
import { createChains, createEndpointPools, createPayerChains } from '../../../src/chain/registry.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import { DomainError, StoreAway } from '../../../src/domain/errors.ts';
import type { SocialPlatform } from '../../../src/domain/mentions/mention.ts';
import { addsUp } from '../../../src/domain/payments/audit.ts';
import { createLog } from '../../../src/log.ts';
import { proveWallets } from '../../../src/services/audits/end-stop.ts';
import { createPaidLearner } from '../../../src/services/audits/learn-paid.ts';
import { reconcileOpenGigs } from '../../../src/services/audits/reconcile.ts';
import { claimByTap } from '../../../src/services/claims/claim-by-tap.ts';
import { claimRewards } from '../../../src/services/claims/claim-rewards.ts';
import { checkFundings } from '../../../src/services/gigs/check-funding.ts';
import { createHeldSteps } from '../../../src/services/gigs/steps/held-steps.ts';
import { createChainPayments } from '../../../src/services/payments/pay-chain.ts';
import { PAYMENT_POLICY, type PaymentContext, SENDER_TIMING } from '../../../src/services/payments/sender/context.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { copyDatabase } from './copy-database.ts';
import { endGigs, workAlone } from './ends.ts';
import { ANSWER_PATIENCE_MS, CHAIN, type ClaimOrder, COMMITTED, type Order, PAUSED, TREASURY } from './order.ts';

// A process that makes the claims of its order, ends gigs, pays until nothing is left to pay and everything adds up, and says
// how often it committed.

const PATIENCE_MS = 300_000;
const IDLE_MS = 5;
const AWAY_MS = 50;
/** The service's hour. */
const AUDIT_MS = 1_000;
/** Enough steps for the payments of a round to be on their way, and too few for them to have settled. */
const STEPS_BETWEEN_ROUNDS = 4;

/** Says it at once: the next thing that happens may be the end of the process. */
function tell(line: string): void {
  writeSync(process.stdout.fd, `${line}\n`);
}

function stopHere(how: 'die' | 'pause'): void {
  if (how === 'die') return void process.kill(process.pid, 'SIGKILL');
  tell(PAUSED);
  process.kill(process.pid, 'SIGSTOP');
}

/** The store, counting and copying what it commits, and stopping the process at the commit that the order names. */
function counting(store: Store, { stop, copies, ledger }: Order): Store & { commits(): number } {
  let count = 0;
  let hasStopped = false;
  const stopAt = (commit: number, when: 'before' | 'after') => {
    if (hasStopped || stop?.when !== when || stop.commit !== commit) return;
    hasStopped = true;
    stopHere(stop.how);
  };
  return {
    ...store,
    commits: () => count,
    async transaction(run, options) {
      let number = 0;
      const result = await store.transaction(async (tx) => {
        const value = await run(tx);
        // A run that had to run again is still one commit.
        if (number === 0) {
          count += 1;
          number = count;
        }
        stopAt(number, 'before');
        return value;
      }, options);
      if (copies !== null) copyDatabase(ledger, join(copies, `${number}.db`));
      tell(COMMITTED);
      stopAt(number, 'after');
      return result;
    },
  };
}

// Written by the harness, in this very shape.
const order = JSON.parse(process.argv[2] ?? '') as Order;
const { ledger: url, migrationsFolder, rpcUrls, clocks } = order;
const clock = () => Date.now() + clocks.aheadMs;
const deadline = clock() + PATIENCE_MS;
const floors = clocks.drawsFloors ? { clock, randomBelow: randomInt } : undefined;
const store = counting(await openStore({ url, migrationsFolder, clock, floors }), order);
const wallets = createWallets(MNEMONIC);
const endpoints = [{ chain: CHAIN, rpcUrls }];
const limits = {
  // Without retries every fault gets through to the payments.
  timeoutMs: ANSWER_PATIENCE_MS,
  deadlineMs: 2 * ANSWER_PATIENCE_MS,
  retries: 0,
};
const pools = createEndpointPools({ endpoints, clock, ...limits, anchorOf: store.chainAnchor });
const payers = createPayerChains({ endpoints, clock, ...limits, pools, wallets });
const timing: PaymentContext['timing'] = {
  ...SENDER_TIMING,
  rebroadcastMs: 50,
  raiseMs: 300,
  settleMs: 50,
  refusedMs: 500,
  barelyRefusedMs: 500,
  failedMs: 10,
  lookMs: 10,
  fundedMs: 200,
  unansweredMs: 10,
};
const log = createLog({ level: 'warn', destination: { write: (line) => void process.stderr.write(line) } });
const deps: PaymentContext = { store, clock, log, timing, policy: PAYMENT_POLICY };
const claimDeps = { store, wallets, clock, platforms: new Map(), newId: randomUUID, wakePayments: () => undefined };

/** Does it again until the ledger is there, as the service's tasks do. */
async function persist<T>(run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof StoreAway) || clock() > deadline) throw error;
      await wait(AWAY_MS);
    }
  }
}

/** Awards the tip that comes with a claim, unless an earlier life has; another process may have claimed it since. */
async function award({ fid, earns }: ClaimOrder): Promise<void> {
  const gig = earns === null ? null : await store.gig(earns.gigId);
  if (earns === null || gig === null) return;
  const awarded = await store.tipsOfGig(gig.id, { limit: 100 });
  if (awarded.some(({ platformUserId }) => platformUserId === fid)) return;
  const account = { platform: 'farcaster', platformUserId: fid } as const;
  const tip = { ...account, gigId: gig.id, tokenId: gig.token.id, amount: BigInt(earns.amount), userAddress: null };
  await store.transaction((tx) => tx.insertTips([tip], clock()));
}

/** All that a tap asks of a platform is its account's primary address. */
async function tap({ fid, postId, recipient }: ClaimOrder): Promise<void> {
  const farcaster = { primaryAddress: async () => recipient } as unknown as SocialPlatform;
  const platforms = new Map([['farcaster', farcaster]]);
  await claimByTap({ ...claimDeps, platforms }, { fid, postId, requestId: null });
}

async function post({ fid: platformUserId, postId, recipient }: ClaimOrder): Promise<void> {
  const text = `claim my rewards ${recipient}`;
  const postedAt = clock();
  const sent = { platform: 'farcaster', platformUserId, postId, source: 'url', text, postedAt, retry: true } as const;
  await claimRewards(claimDeps, sent);
}

async function claim(one: ClaimOrder): Promise<void> {
  try {
    await (one.by === 'tap' ? tap : post)(one);
  } catch (error) {
    // An account whose tips an earlier claim has taken.
    if (!(error instanceof DomainError) || error.refusal.code !== 'no_tips') throw error;
  }
}

const step = createChainPayments(deps, payers.payer(CHAIN.id));
const audit = { ...deps, payers, actor: { kind: 'job', name: 'reconcile' } } as const;

const chains = createChains({ endpoints, clock, retries: 0, pools });
const learnPaid = createPaidLearner({ ...deps, payers });
const heldSteps = createHeldSteps({ clock, log });
const ending = { ...deps, payers, chains, newId: randomUUID, learnPaid, heldSteps, treasury: TREASURY, randomBytes };

let auditedAt = 0;

/** Audits the gigs, and as the operator does on another server, or with an older copy, proves all wallets. True when they all add up, by proof. */
async function reconcile(): Promise<boolean> {
  auditedAt = clock();
  // Of the gig that has started by itself.
  await persist(() => checkFundings(ending, CHAIN.id));
  const results = await persist(async () => {
    const isProved = (await store.paymentStop()) === null && (await store.doubtedUpTo()) === null;
    if (isProved) return await reconcileOpenGigs(audit);
    return (await proveWallets(audit, { acceptsFrozen: false })).results;
  });
  return results.every((result) => result.frozen === null && result.audit !== null && addsUp(result.audit) === true);
}

/** Takes steps until nothing is left to pay, at most so many, with an audit now and then. */
async function pay(most: number): Promise<void> {
  for (let steps = 0; steps < most; steps += 1) {
    const progress = await persist(step);
    if (progress === false) return;
    if (clock() > deadline) throw new Error('the payments did not come to an end');
    if (progress === true) continue;
    await wait(IDLE_MS);
    if (clock() > auditedAt + AUDIT_MS) await reconcile();
  }
}

// A service that has just started looks before it does anything else.
await reconcile();
await persist(() => workAlone(ending));
for (const round of order.rounds) {
  for (const one of round) {
    await persist(() => award(one));
    await persist(() => claim(one));
  }
  await pay(STEPS_BETWEEN_ROUNDS);
}
do {
  if (clock() > deadline) throw new Error('the gigs do not add up');
  await pay(Number.POSITIVE_INFINITY);
} while (!(await persist(() => endGigs(ending))) || !(await reconcile()) || (await persist(step)) !== false);
tell(String(store.commits()));
await store.close();
