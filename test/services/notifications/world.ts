import { createFarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import type { SocialPlatform } from '../../../src/domain/mentions/mention.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { createFarcaster } from '../../../src/platforms/farcaster/adapter.ts';
import { createDeliveryCounter } from '../../../src/services/deliveries/deliver-next.ts';
import { releaseEvents } from '../../../src/services/events/release-events.ts';
import { awardTips } from '../../../src/services/gigs/tips/award-tips.ts';
import type { NewsContext, NotifyContext } from '../../../src/services/notifications/context.ts';
import { createNewsReader } from '../../../src/services/notifications/read-events.ts';
import { createNotifier } from '../../../src/services/notifications/send-notifications.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { FARCASTER } from '../../platforms/setup.ts';
import { openTestStore, type WrapStore } from '../../support/database.ts';
import { createClock, createNetwork, keepLog } from '../fakes.ts';

/** People of the network, beside the bot. */
export const PEOPLE = ['1001', '1002', '1003', '1004'] as const;

/** The verifier that is asked; of every other gig people decide. */
export const VERIFIER = 'https://verifier.example/decide';

/** A network whose people are notified, and a store whose events they are notified of. The clock stands still. */
export async function openNotified({ wrap }: { wrap?: WrapStore } = {}) {
  const { clock, advance } = createClock();
  const { store, database, close } = await openTestStore({ clock, ...(wrap && { wrap }) });
  const network = createFarcasterNetwork({ ...FARCASTER, clock });
  await network.start();
  for (const id of PEOPLE) network.addUser({ id, username: `user${id}` });
  const farcaster = createFarcaster({ ...FARCASTER, baseUrl: network.url, clock, timeoutMs: 2_000 });

  /** A process that reads events and sends notifications when a test says so. */
  function processOf(name: string, on: Store = store) {
    const { log, lines } = keepLog();
    let ids = 0;
    const platforms = new Map<string, SocialPlatform>([
      ['farcaster', farcaster],
      ['twitter', createNetwork('twitter').network],
    ]);
    const reading: NewsContext = {
      store: on,
      clock,
      log,
      platforms,
      verifiers: { urlOf: (verifier) => (verifier === VERIFIER ? verifier : null) },
    };
    const sending: NewsContext & NotifyContext = {
      ...reading,
      newId: () => `${name}-${++ids}`,
      timing: { leaseMs: 30_000, backoffMs: 10_000 },
      notificationCounter: createDeliveryCounter(),
      publicUrl: 'https://gigs.example',
    };
    const notifier = createNotifier(sending);
    const reader = createNewsReader(reading);
    const release = async () => {
      while (await releaseEvents({ store: on, clock, log, holder: name, wakeDeliveries: () => undefined }));
    };
    return {
      contexts: sending,
      lines,
      notifier,
      counter: sending.notificationCounter,
      /** Makes notifications of all that has happened. */
      async read() {
        await release();
        while (await reader.readNext());
      },
      /** Sends all that may be sent now. */
      async send() {
        while ((await notifier.sendNext()) !== 'none');
      },
    };
  }

  const one = processOf('a');
  await one.read();
  return {
    ...one,
    store,
    database,
    clock,
    advance,
    network,
    processOf,
    /** Reads and sends, as a service does in so many seconds, one after another. */
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        await one.read();
        await one.send();
        advance(1_000);
      }
    },
    /** What people were shown: to whom, and the words. */
    shown: () => network.notifications.shown().map(({ fid, title, body }) => `${fid} ${title} | ${body}`),
    /** The stored notifications, oldest first: to whom, of what kind, and what became of them. */
    async kept(): Promise<string[]> {
      const rows = await database.sql(
        'select platform_user_id as id, kind, state, tries from notifications order by id',
      );
      return rows.map(({ id, kind, state, tries }) => `${id} ${kind} ${state} ${tries}`);
    },
    /** Awards tips of whole tokens to accounts, by their ids. */
    award: (gigId: number, amounts: Readonly<Record<string, string>>, platform = 'farcaster') => {
      const tips = Object.entries(amounts).map(([platformUserId, value]) => {
        return { platform, platformUserId, value, username: null, userAddress: null };
      });
      return store.transaction((tx) => awardTips(tx, { gigId, tips }, { actor: COMMAND_LINE, now: clock() }));
    },
    async close() {
      await network.stop();
      await close();
    },
  };
}

export type Notified = Awaited<ReturnType<typeof openNotified>>;
