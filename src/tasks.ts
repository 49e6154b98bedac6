import type { Config } from './config.ts';
import type { Platform } from './domain/account.ts';
import type { Chain, ChainReader } from './domain/chains/chain.ts';
import type { EndpointStatus } from './domain/chains/endpoint-status.ts';
import type { SpamLabels } from './domain/earning/labels.ts';
import type { Verifiers } from './domain/earning/payouts/verifier.ts';
import { AdapterError } from './domain/errors.ts';
import type { Platforms } from './domain/mentions/mention.ts';
import type { AlertReceiver } from './domain/operators/alert.ts';
import { webhookPath } from './domain/platforms/platforms.ts';
import { TICK_MS } from './jobs/alarms.ts';
import { periodic, type Task } from './jobs/runner.ts';
import { summarizeError } from './log.ts';
import { tellOutcomes } from './services/claims/claim-progress.ts';
import type { OutcomeContext } from './services/claims/context.ts';
import type { TellTiming } from './services/deliveries/deliver-next.ts';
import { createWebhookUpdate } from './services/earning/acts/update-webhook.ts';
import { advanceNextWatch } from './services/earning/advance-watch.ts';
import type { EarningTiming, WatchContext } from './services/earning/context.ts';
import { type AskingLanes, createAskingLanes } from './services/earning/decide/asking-lanes.ts';
import { createEarningMemory } from './services/earning/memory.ts';
import type { EarningCounter } from './services/earning/tally.ts';
import { settleDueGigs } from './services/ends/settle-due-gigs.ts';
import type { WakingStore } from './services/events/waking-store.ts';
import { checkFundings } from './services/gigs/check-funding.ts';
import type { FundingContext, StartFundedContext } from './services/gigs/context.ts';
import { type AnswerContext, type AnswerTiming, answerNextMention } from './services/mentions/answer-mentions.ts';
import type { PollContext } from './services/mentions/context.ts';
import { createDueMentions } from './services/mentions/due-mentions.ts';
import type { OddAnswers } from './services/mentions/odd-answers.ts';
import type { PlatformBreaker } from './services/mentions/platform-breaker.ts';
import { followPause } from './services/mentions/platform-pause.ts';
import { pollMentions } from './services/mentions/receive-mentions.ts';
import { giveUpPerished, type SendContext, type SendTiming, sendNextReply } from './services/mentions/send-replies.ts';
import type { NoticeContext } from './services/notices/context.ts';
import { createOwnerTeller } from './services/notices/tell-owners.ts';
import { type TellContext, tellNextAlert } from './services/operators/alerts/tell-alerts.ts';
import { type AlertWatchContext, createConditionWatch } from './services/operators/alerts/watch-conditions.ts';
import type { ClockStatus } from './services/operators/clock/clock-status.ts';
import type { ClockWatch } from './services/operators/clock/clock-watch.ts';
import type { InstanceWatch } from './services/operators/instances.ts';
import { createPacedStore, type Pacing } from './services/paced-store.ts';
import { awaitsRefill, type GasTank } from './services/payments/gas-tank.ts';
import type { PriceBook } from './services/prices/price-book.ts';
import type { DepositContext } from './services/x402/context.ts';
import { createEventTasks, DELIVER_EVENTS, type EventTaskContext, RELEASE_EVENTS } from './tasks/event-tasks.ts';
import { createNotificationTasks, type NotificationTaskContext } from './tasks/notification-tasks.ts';
import { createOwnerTasks } from './tasks/owner-tasks.ts';

const ANSWERS_AT_ONCE = 8;
const SENDS_AT_ONCE = 4;
const WATCHED_AT_ONCE = 2;
const ASKED_AT_ONCE = 8;
const ASK_VERIFIERS = 'ask verifiers';
const IDLE_MS = 1_000;
const OUTCOMES_MS = 2_000;
const TELL_OWNERS_MS = 2_000;
/** How often an instance tells the others that it lives; they take it for dead after four times as long. */
const BEAT_MS = 5_000;
const SKIPS_MS = 60_000;
/** How often an instance looks at the payments of a chain of which another one takes care. */
const OTHERS_CHAIN_MS = 60_000;
/** Longer than any wait that the payments ask for. */
const PAY_MS = 60_000;
const RECONCILE_MS = 60 * 60 * 1000;
/** How soon a gas tank that payments wait for is looked at again; they notice a refill as soon. */
const LOW_TANK_MS = 5_000;
const GIVE_UP_MS = 60_000;
const FOLLOW_PAUSE_MS = 60_000;
/** Until a chain that does not answer is asked again. */
const SILENT_MS = 5_000;
const FUNDING_CHECK_MS = 2_000;
/** How soon a webhook asks for what is done towards a gig that has started. */
const SUBSCRIBE_MS = 5_000;
const KEEP_ANSWERS_MS = 10_000;
const CLOCK_CHECK_MS = 1_000;
/** How often it is looked whether the file of spam labels has changed. */
const LABELS_MS = 60_000;
const SETTLE_MS = 5_000;
const REFUND_MS = 5_000;
const WATCH_TANK = 'watch gas tank';

/** How often the service looks after itself. Milliseconds. */
export interface PollTiming {
  /** Whether chains answer, and what the gas tank holds on them. */
  readonly chainMs: number;
  /** What is wrong, to report it. */
  readonly conditionMs: number;
}

export const POLL_TIMING: PollTiming = { chainMs: 60_000, conditionMs: 30_000 };

/** Ends the wait of a task early, because there is work for it. */
export interface Wakes {
  answering(platform: Platform): void;
  sending(platform: Platform): void;
  payments(): void;
  paymentsOn(chain: Chain): void;
  gasTank(): void;
  telling(receivers: readonly AlertReceiver[]): void;
  asking(): void;
  releasingEvents(): void;
  deliveringEvents(): void;
}

/** What the tasks make the contexts of their services of: those fields that are the same for all, and what only tasks have. */
export interface TaskContext
  extends Pacing,
    FundingContext,
    StartFundedContext,
    DepositContext,
    Omit<OutcomeContext, 'wake'>,
    Omit<NoticeContext, 'wake'>,
    Omit<PollContext, 'wake'>,
    Omit<AnswerContext, 'limits' | 'wake' | 'timing' | 'dueMentions' | 'isShared' | 'sending'>,
    Omit<SendContext, 'limits' | 'timing'>,
    Omit<WatchContext, 'labelOf' | 'lanes' | 'timing' | 'memory' | 'heldSteps'>,
    Omit<AlertWatchContext, 'lookMs'>,
    Omit<TellContext, 'publicUrl' | 'siteName' | 'timing'>,
    EventTaskContext,
    NotificationTaskContext {
  /** Each task's commits wake what releases their events. */
  readonly store: WakingStore;
  readonly config: Config;
  readonly counter: EarningCounter;
  readonly verifiers: Verifiers;
  /** Null without a file of spam labels. */
  readonly labels: SpamLabels | null;
  readonly instances: InstanceWatch;
  /** Logs the gig ids that were skipped since it ran last. */
  readonly lookForSkips: () => Promise<void>;
  readonly oddAnswers: OddAnswers;
  readonly clocks: ClockStatus;
  readonly health: PlatformBreaker;
  readonly clockWatch: ClockWatch;
  /** Whether the clock has jumped ahead lately. */
  readonly hasJumped: () => boolean;
  /** The next step of each enabled chain's payments; empty without a mnemonic. */
  readonly payments: readonly { readonly chain: Chain; readonly pay: () => Promise<boolean | number> }[];
  /** Null without a mnemonic. */
  readonly gasTank: GasTank | null;
  /** Audits the gigs with open money; null without a mnemonic. */
  readonly reconcile: (() => Promise<unknown>) | null;
  /** Plan what settled and cancelled gigs return; empty without a mnemonic. */
  readonly refunds: readonly (() => Promise<void>)[];
  readonly timing: {
    readonly answer: AnswerTiming;
    readonly send: SendTiming;
    readonly earning: Omit<EarningTiming, 'lookMs'>;
    readonly look: PollTiming;
    readonly tell: TellTiming;
  };
  /** Who is told about alerts. */
  readonly receivers: readonly AlertReceiver[];
  readonly wakes: Wakes;
  /** Null where no prices are shown. */
  readonly prices: PriceBook | null;
}

/** The {@link Wakes} of the tasks on `chains`; `wake` takes a task's name. */
export function createWakes(wake: (name: string) => void, chains: readonly Chain[]): Wakes {
  const paymentsOn = (chain: Chain) => wake(`pay ${chain.key}`);
  return {
    answering: (platform) => wake(`answer ${platform}`),
    sending: (platform) => wake(`send ${platform}`),
    payments: () => {
      for (const chain of chains) paymentsOn(chain);
    },
    paymentsOn,
    gasTank: () => wake(WATCH_TANK),
    asking: () => wake(ASK_VERIFIERS),
    releasingEvents: () => wake(RELEASE_EVENTS),
    deliveringEvents: () => wake(DELIVER_EVENTS),
    telling: (receivers) => {
      for (const receiver of receivers) wake(tellName(receiver));
    },
  };
}

/** Several gigs at once, because each waits for its platform's answers. */
function earningTask(deps: TaskContext, platform: Platform, lanes: AskingLanes): Task[] {
  const { config, platforms, timing, labels } = deps;
  const lookMs = config.earningLookSeconds * 1_000;
  // Where no acts are read, accounts may have entered in the console.
  if (lookMs === 0 || !platforms.has(platform)) return [];
  const labelOf: WatchContext['labelOf'] = (account) => labels?.labelOf(account) ?? 'unknown';
  const store = createPacedStore(deps.store, deps);
  const earning = {
    ...deps,
    store,
    lanes,
    timing: { ...timing.earning, lookMs },
    labelOf,
    memory: createEarningMemory(),
  };
  const run: Task['run'] = (onLeased) => advanceNextWatch(earning, platform, onLeased);
  return [unlessJumped(deps, { name: `earn ${platform}`, concurrency: WATCHED_AT_ONCE, intervalMs: IDLE_MS, run })];
}

function subscribeTask(deps: TaskContext, platform: Platform): Task[] {
  const { publicUrl, earningLookSeconds, earningWebhook } = deps.config;
  if (deps.platforms.get(platform)?.updateWebhook === undefined) return [];
  const asks = earningWebhook && earningLookSeconds > 0;
  const update = createWebhookUpdate(deps, { platform, url: `${publicUrl}${webhookPath(platform)}`, asks });
  return [periodic(`subscribe ${platform}`, SUBSCRIBE_MS, update)];
}

/** Each platform has its own tasks, so that one that does not answer delays no other. */
function tasksOfPlatform(deps: TaskContext, platform: Platform, lanes: AskingLanes): Task[] {
  const { config, platforms, timing, wakes, instances } = deps;
  const network = platforms.get(platform);
  const own: Platforms = new Map(network === undefined ? [] : [[platform, network]]);
  const limits = config.replyLimits;
  const sending = { ...deps, limits, timing: timing.send };
  const isShared = () => instances.living() > 1;
  const outcome = { wake: wakes.sending, sending, dueMentions: createDueMentions(), isShared };
  const answering = { ...deps, ...outcome, platforms: own, limits, timing: timing.answer };
  const receiving = { ...deps, wake: wakes.answering };
  const pollMs = config.mentionPollSeconds * 1_000;
  // Shorter than any wait between two polls, so that a slow clock skips none.
  const everyMs = Math.max(0, Math.floor(pollMs * 0.9) - TICK_MS);
  const poll = periodic(`poll ${platform}`, pollMs, () => pollMentions(receiving, platform, { everyMs }));
  return [
    {
      name: `answer ${platform}`,
      concurrency: ANSWERS_AT_ONCE,
      intervalMs: IDLE_MS,
      run: (onLeased, goOn) => answerNextMention(answering, onLeased, goOn),
    },
    {
      name: `send ${platform}`,
      concurrency: SENDS_AT_ONCE,
      intervalMs: IDLE_MS,
      run: (onLeased) => sendNextReply(sending, platform, onLeased),
    },
    periodic(`give up replies ${platform}`, GIVE_UP_MS, () => giveUpPerished(sending, platform)),
    periodic(`follow pause ${platform}`, FOLLOW_PAUSE_MS, () => followPause(deps, platform)),
    ...(pollMs === 0 ? [] : [poll]),
    ...earningTask(deps, platform, lanes),
    ...subscribeTask(deps, platform),
  ];
}

/**
 * Asks every chain; one that does not answer is logged once and delays no other. It is asked again soon, so that nothing
 * says that it is wrong when it is right again.
 */
function pingTask({ chains, clocks, log, timing }: TaskContext): Task {
  const silent = new Set<string>();
  /** Why endpoints are passed over, as it was logged last. */
  const passedOver = new Map<string, string>();
  function tellEndpoint(chain: string, { name: endpoint, fault }: EndpointStatus): void {
    const id = `${chain} ${endpoint}`;
    if (fault === null) {
      if (passedOver.delete(id)) log.info({ chain, endpoint }, 'endpoint is asked again');
      return;
    }
    if (passedOver.get(id) !== fault.kind) log.warn({ chain, endpoint, why: fault.why }, 'endpoint is passed over');
    passedOver.set(id, fault.kind);
  }
  async function ping(reader: ChainReader): Promise<void> {
    const { key: chain } = reader.chain;
    try {
      clocks.saw(
        reader.chain,
        await reader.decide(async () => {
          await reader.ping();
          return await reader.newestBlock();
        }),
      );
      if (silent.delete(chain)) log.info({ chain }, 'chain answers again');
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      if (!silent.has(chain)) log.warn({ chain, error: summarizeError(error) }, 'chain does not answer');
      silent.add(chain);
    }
    for (const endpoint of reader.endpoints()) tellEndpoint(chain, endpoint);
  }
  return {
    name: 'ping chains',
    concurrency: 1,
    intervalMs: timing.look.chainMs,
    run: async () => {
      await Promise.all(chains.list().map(ping));
      return silent.size > 0 ? Math.min(SILENT_MS, timing.look.chainMs) : false;
    },
  };
}

function fundingTask(deps: TaskContext, chain: Chain): Task {
  return periodic(`check fundings ${chain.key}`, FUNDING_CHECK_MS, async () => {
    if (await checkFundings(deps, chain.id)) deps.wakes.paymentsOn(chain);
  });
}

function tankTask({ store, timing }: TaskContext, gasTank: GasTank): Task {
  return {
    name: WATCH_TANK,
    concurrency: 1,
    intervalMs: timing.look.chainMs,
    run: async () => {
      await gasTank.look();
      return (await awaitsRefill({ store, gasTank })) && LOW_TANK_MS;
    },
  };
}

function clockTask({ platforms, wakes, clockWatch, hasJumped }: TaskContext): Task {
  return periodic('watch clock', CLOCK_CHECK_MS, async () => {
    hasJumped();
    if (!(await clockWatch.look())) return;
    wakes.payments();
    for (const platform of platforms.keys()) {
      wakes.answering(platform);
      wakes.sending(platform);
    }
  });
}

function tellName({ label }: AlertReceiver): string {
  return `tell ${label}`;
}

/** Tells each receiver by itself, so that one that does not answer delays no other. */
function alertTasks(deps: TaskContext): Task[] {
  const { receivers, timing, wakes, config } = deps;
  const watch = createConditionWatch({ ...deps, lookMs: timing.look.conditionMs });
  const telling = { ...deps, publicUrl: config.publicUrl, siteName: config.brand.name, timing: timing.tell };
  return [
    periodic('watch conditions', timing.look.conditionMs, async () => {
      if (await watch.look()) wakes.telling(receivers);
    }),
    ...receivers.map((receiver) => ({
      name: tellName(receiver),
      concurrency: 1,
      intervalMs: IDLE_MS,
      run: () => tellNextAlert(telling, receiver),
    })),
  ];
}

/** One of the instances that live sends the payments, and the others see to it that it does. */
function payTask({ instances, elapsed }: TaskContext, { chain, pay }: TaskContext['payments'][number]): Task {
  const name = `pay ${chain.key}`;
  let lookedAt = elapsed();
  return {
    name,
    concurrency: 1,
    intervalMs: PAY_MS,
    run: async () => {
      if (!instances.owns(name) && elapsed() - lookedAt < OTHERS_CHAIN_MS) return IDLE_MS;
      lookedAt = elapsed();
      return (await pay()) || IDLE_MS;
    },
  };
}

/** Does nothing while the clock differs from the store's, and nothing any more once the store was moved. */
function onTime({ instances }: TaskContext, task: Task): Task {
  const mayRun = () => instances.isOnTime() && instances.moved() === null;
  return { ...task, run: async (...more) => mayRun() && (await task.run(...more)) };
}

/** Does nothing for a while after the clock has jumped ahead, because what a task does cannot be undone. */
function unlessJumped({ hasJumped }: TaskContext, task: Task): Task {
  return { ...task, run: async (...more) => !hasJumped() && (await task.run(...more)) };
}

/** All background tasks of the service. */
export function createTasks(deps: TaskContext): Task[] {
  const { chains, payments, gasTank, reconcile, refunds, platforms, labels, wakes } = deps;
  const telling = { ...deps, wake: wakes.sending };
  const lanes = createAskingLanes({ lanes: ASKED_AT_ONCE, wake: wakes.asking });
  const tasks: Task[] = [
    ...[...platforms.keys()].flatMap((platform) => tasksOfPlatform(deps, platform, lanes)),
    { name: ASK_VERIFIERS, concurrency: ASKED_AT_ONCE, intervalMs: PAY_MS, run: lanes.askNext },
    ...payments.map((each) => payTask(deps, each)),
    ...(gasTank === null ? [] : [tankTask(deps, gasTank)]),
    ...(labels === null ? [] : [periodic('read spam labels', LABELS_MS, labels.refresh)]),
    ...(reconcile === null ? [] : [periodic('reconcile', RECONCILE_MS, reconcile)]),
    unlessJumped(
      deps,
      periodic('settle gigs', SETTLE_MS, () => settleDueGigs(deps)),
    ),
    ...refunds.map((run, index) => unlessJumped(deps, periodic(`refund gigs ${index + 1}`, REFUND_MS, run))),
    ...chains.list().map(({ chain }) => fundingTask(deps, chain)),
    { name: 'tell outcomes', concurrency: 1, intervalMs: OUTCOMES_MS, run: () => tellOutcomes(telling) },
    periodic('tell owners', TELL_OWNERS_MS, createOwnerTeller(telling)),
    ...createOwnerTasks(deps).map((task) => unlessJumped(deps, task)),
    ...alertTasks(deps),
    ...createEventTasks(deps),
    ...createNotificationTasks(deps),
    ...(deps.prices === null ? [] : [periodic('read prices', deps.prices.everyMs, deps.prices.refresh)]),
    periodic('keep odd answers', KEEP_ANSWERS_MS, deps.oddAnswers.keep),
    clockTask(deps),
    pingTask(deps),
  ];
  const skips = periodic('look for skipped gig ids', SKIPS_MS, deps.lookForSkips);
  return [periodic('beat', BEAT_MS, deps.instances.look), skips, ...tasks.map((task) => onTime(deps, task))];
}
