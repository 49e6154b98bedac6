import { isPostgres } from '../../src/domain/settings/database-url.ts';
import type { LocalChain, LocalToken } from '../chain.ts';
import type { FarcasterNetwork } from '../networks/farcaster.ts';
import { createNetworkServer } from '../networks/server.ts';
import type { SignInPlaces } from '../owners/sign-in.ts';
import type { Receiver } from '../receiver.ts';
import type { ServiceProcess } from '../service.ts';
import { readTargets } from '../watched-gigs.ts';
import { createActPress } from './act-press.ts';
import { createActions } from './actions.ts';
import { createServiceApi } from './api.ts';
import { createBackup } from './backup.ts';
import { createEarnSteps } from './earn-steps.ts';
import { renderFragments } from './fragments.ts';
import type { Happenings } from './happenings.ts';
import { createHoldingsReader } from './holdings.ts';
import type { Networks } from './names.ts';
import { createOwnedGig } from './new-gig.ts';
import { createPeopleSteps } from './people-steps.ts';
import { createPublisher } from './publisher.ts';
import { createReceiverStep } from './receiver-step.ts';
import { openRecords } from './records.ts';
import { createPageRoutes } from './server.ts';
import { createServiceWatch } from './service-watch.ts';
import { createSignInPress } from './sign-in-press.ts';
import { createSteps } from './steps.ts';
import { createStory } from './story.ts';
import { createTimeMover, type TimeMachine } from './time.ts';
import { createWatchedGigs } from './watched-gig.ts';
import { createWatcher } from './watcher.ts';
import type { World } from './world.ts';

/** The sandbox's page, on a port of its own; it stands while the service is down. */
export interface SandboxPage {
  /** Listens on 127.0.0.1 and answers its address. */
  start(port: number): Promise<string>;
  stop(): Promise<void>;
}

/** The page of a sandbox whose parts are there and whose service is up. */
export async function createSandboxPage(options: {
  networks: Networks & { readonly farcaster: FarcasterNetwork };
  chain: LocalChain;
  /** Where the service, the node, the verifier, and what people sign in with listen. */
  places: SignInPlaces & { readonly chain: string; readonly verifier: string };
  /** The path of the service's file, or the URL of its database on PostgreSQL. */
  database: string;
  service: Pick<ServiceProcess, 'pids' | 'crash' | 'whileStopped'>;
  receiver: Pick<Receiver, 'takeDown' | 'seen'>;
  /** How many instances the service has. */
  instances: number;
  apiKey: string;
  tokens: readonly LocalToken[];
  logFile: string;
  happenings: Happenings;
  time: TimeMachine;
}): Promise<SandboxPage> {
  const { networks, places, database, instances, apiKey, tokens, logFile, happenings, time } = options;
  const clock = time.now;
  const backup = isPostgres(database) ? null : createBackup({ path: database, clock });
  const setting = { service: places.service, apiKey, logFile, tokens, instances, hasBackup: backup !== null };
  const changed = () => publisher.changed();
  const publisher = createPublisher({
    render: () => {
      const world = see();
      return renderFragments(world, { setting, steps: steps.view(world) });
    },
    look: () => watcher.look(),
  });
  const story = createStory({ clock, changed });
  const records = await openRecords(database);
  const api = createServiceApi({ url: places.service, apiKey, clock });
  const watcher = await createWatcher({
    records,
    api,
    networks,
    tokens,
    happenings,
    story,
    changed,
    holdings: createHoldingsReader({ url: places.chain }),
    service: createServiceWatch({ url: places.service, pids: options.service.pids, clock, changed }),
  });
  const { chain, service, receiver } = options;
  const actions = createActions({ networks, chain, api, service, instances, backup, watcher, story });
  const targets = () => readTargets(database);
  const act = createActPress({ farcaster: networks.farcaster, targets, story });
  const moveTime = createTimeMover({ time, story, changed });
  const newGig = () => createOwnedGig({ api, watcher, token: tokens[0], now: clock() });
  const gigs = createWatchedGigs({ api, actions, watcher, tokens, now: clock });
  const verifier = `${places.verifier}/decide`;
  const earn = createEarnSteps({ farcaster: networks.farcaster, gigs, story, time, verifier });
  const miss = createReceiverStep({ api, gigs, receiver });
  const walk = createPeopleSteps({ places, gigs, story });
  const signIn = createSignInPress({ places, story });
  const { seen, look } = watcher;
  const keepCopy = () => backup?.take();
  const steps = createSteps({ actions, happenings, seen, look, keepCopy, newGig, earn, miss, walk });

  function see(): World {
    return {
      ...watcher.seen(),
      posts: { farcaster: networks.farcaster.posts(), x: networks.x.posts() },
      faults: { farcaster: { ...networks.farcaster.faults }, x: { ...networks.x.faults } },
      starts: actions.starts(),
      claim: actions.claimed(),
      reception: receiver.seen(),
      story: story.lines(),
      now: clock(),
      aheadMs: time.ahead(),
    };
  }

  const server = createNetworkServer(
    createPageRoutes({ setting, actions, moveTime, act, signIn, steps, publisher, watch: watcher.watch }),
  );
  return {
    start: (port) => server.start(port),
    stop: async () => {
      watcher.stop();
      publisher.close();
      await server.stop();
      await records.close();
    },
  };
}
