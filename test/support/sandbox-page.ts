import { EventEmitter } from 'node:events';
import { inject } from 'vitest';
import { createLocalChain } from '../../sandbox/chain.ts';
import { createSandboxClock } from '../../sandbox/clock.ts';
import { createFarcasterNetwork } from '../../sandbox/networks/farcaster.ts';
import { createTwitterNetwork } from '../../sandbox/networks/twitter.ts';
import { createSandboxPage } from '../../sandbox/page/page.ts';
import type { Happenings } from '../../sandbox/page/parts.ts';
import { MNEMONIC, NETWORK_CREDENTIALS, PEOPLE, SPONSOR } from '../../sandbox/people.ts';
import { openTestStore } from './database.ts';

/**
 * The sandbox's page in this process, around an empty store and both networks; the service is whatever answers at
 * `service`. It can be taken away and put back at the same address.
 */
export async function openSandboxPage(options: { service: string; relay?: string; registries?: string }) {
  const { service, relay = service, registries = service } = options;
  const happenings: Happenings = new EventEmitter();
  const farcaster = createFarcasterNetwork({
    ...NETWORK_CREDENTIALS.farcaster,
    observe: (event) => happenings.emit('network', 'farcaster', event),
  });
  const x = createTwitterNetwork({
    ...NETWORK_CREDENTIALS.twitter,
    observe: (event) => happenings.emit('network', 'x', event),
  });
  for (const { name, fid, xUserId } of PEOPLE) {
    farcaster.addUser({ id: String(fid), username: name });
    x.addUser({ id: xUserId, username: name });
  }
  farcaster.addUser({ id: String(SPONSOR.fid), username: SPONSOR.username });
  const { store, database, close } = await openTestStore();
  const chain = inject('anvilUrl');
  const clock = createSandboxClock(Date.now);
  const create = () =>
    createSandboxPage({
      networks: { farcaster, x },
      chain: createLocalChain({ url: chain, mnemonic: MNEMONIC }),
      places: { service, chain, verifier: service, relay, registries },
      service: { pids: () => [4711], crash: () => false, whileStopped: (work) => work() },
      receiver: { takeDown: async () => undefined, seen: () => ({ isUp: true, arrivals: [] }) },
      database: database.url,
      instances: 1,
      apiKey: 'gck_test',
      tokens: [],
      logFile: 'service.log',
      happenings,
      time: { now: clock.now, ahead: clock.ahead, moveOn: async (ms) => clock.moveOn(ms) },
    });
  let page = await create();
  const url = await page.start(0);
  return {
    url,
    store,
    farcaster,
    x,
    happenings,
    takeAway: () => page.stop(),
    putBack: async () => {
      page = await create();
      await page.start(Number(new URL(url).port));
    },
    close: async () => {
      await page.stop();
      await farcaster.settled();
      await x.settled();
      await close();
    },
  };
}
