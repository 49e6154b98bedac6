import { randomBytes } from 'node:crypto';
import { createLog } from '../../src/log.ts';
import { startFundedGigs } from '../../src/services/gigs/start-funded.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/port/index.ts';
import { createLedger } from '../services/fakes.ts';
import { MIGRATIONS } from './store.ts';

// Starts the funded gigs of a database at a time, and kills itself after so many transactions.

const [, , url = '', time = '', transactions = ''] = process.argv;
const opened = await openStore({ url, migrationsFolder: MIGRATIONS });
await opened.begin();
let left = Number(transactions);
const store: Store = {
  ...opened,
  async transaction(run, options) {
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    left -= 1;
    const result = await opened.transaction(run, options);
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    return result;
  },
};
const ledger = createLedger();
for (const id of await store.gigsToStart({ now: Number(time), after: 0, limit: 10 })) {
  const gig = await store.gig(id);
  if (gig !== null) ledger.fund(gig.walletAddress, gig.rewardAmount + gig.feeAmount);
}
await startFundedGigs({
  store,
  chains: ledger.chains,
  payers: null,
  treasury: null,
  clock: () => Number(time),
  log: createLog({ level: 'silent' }),
  newId: () => String(process.pid),
  randomBytes,
});
await store.close();
