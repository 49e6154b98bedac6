import { type Command, InvalidArgumentError } from 'commander';
import { accountKeyText } from '../../domain/account.ts';
import { formatAmount } from '../../domain/amount.ts';
import {
  type GivenDecision,
  MAX_DECISIONS,
  MAX_WAIT_SECONDS,
  whyField,
} from '../../domain/earning/payouts/decisions.ts';
import { deciderWords } from '../../domain/earning/payouts/verifier.ts';
import { MILLION } from '../../domain/earning/terms/rules.ts';
import { invalidRequest } from '../../domain/errors.ts';
import { amountField } from '../../domain/fields.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import { isoText } from '../../domain/time.ts';
import { prepareDecision } from '../../services/earning/decide/decide-candidates.ts';
import { listCandidates, missingWords, type ReadSubmission } from '../../services/earning/decide/list-candidates.ts';
import { carryOut } from '../../services/prepared.ts';
import { by, examples, gigArgument, id, type ListOptions, pageOptions } from '../arguments.ts';
import type { Context } from '../context.ts';
import { accountText, plain } from '../output.ts';
import { learnerOf } from '../payments/learn-paid.ts';
import { printList, type Table } from '../table.ts';

const candidateId = id('gig candidates shows the ids');
const SECONDS = { m: 60, h: 3_600, d: 86_400 } as const;

function duration(text: string): number {
  const [, count, unit] = /^([1-9][0-9]{0,4})([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * SECONDS[unit as keyof typeof SECONDS];
  if (seconds <= MAX_WAIT_SECONDS) return seconds;
  throw new InvalidArgumentError(
    `It must be a duration such as 30m, 1h or 2d, at most ${MAX_WAIT_SECONDS / SECONDS.d}d.`,
  );
}

function candidateItem({ earning, postId, postedAt, text, missing }: ReadSubmission) {
  const { platform, platformUserId, observationId, facts } = earning;
  const score = facts?.score ?? null;
  return {
    id: observationId,
    platform,
    platform_user_id: platformUserId,
    username: facts?.username ?? null,
    score: score === null ? null : score / MILLION,
    posted_at: isoText(postedAt),
    post_id: postId,
    url: platformFacts(platform).postUrl?.(postId) ?? null,
    text,
    missing: missing === null ? null : missingWords(missing, platform),
  };
}

type CandidateItem = ReturnType<typeof candidateItem>;

function authorText({ platform, platform_user_id: platformUserId, username }: CandidateItem): string {
  return accountText({ platform, platformUserId, username });
}

const CANDIDATE_TABLE: Table<CandidateItem> = {
  id: ({ id: candidate }) => candidate,
  account: { read: authorText, cut: 'end' },
  score: { read: ({ score }) => score, spare: 2 },
  posted: { read: ({ posted_at: at }) => at, cut: 'time', spare: 3 },
  // Half a URL leads nowhere.
  url: { read: ({ url }) => url, spare: 1 },
  text: { read: ({ text, missing }) => text ?? `(${missing})`, cut: 'end' },
};

async function list(context: Context, wanted: number, options: ListOptions): Promise<void> {
  const config = context.config();
  const platforms = await context.platforms(config);
  const verifiers = context.verifiers(config);
  const { submissions, decidedBy } = await context.withStore((store) =>
    listCandidates({ store, platforms, verifiers }, { gigId: wanted, limit: options.limit }),
  );
  const items = submissions.map(candidateItem);
  if (!options.json) context.print(`Submissions to gig ${wanted} are ${deciderWords(decidedBy)}.`);
  printList(context, items, { view: options, empty: 'No submission waits for a decision.', table: CANDIDATE_TABLE });
}

interface Options {
  readonly award?: string;
  readonly refuse?: string;
  readonly wait?: number;
}

function toDecision(candidate: number, { award, refuse, wait }: Options): GivenDecision {
  const given = [award, refuse, wait].filter((each) => each !== undefined);
  if (given.length !== 1) throw invalidRequest('Give exactly one of --award, --refuse and --wait.');
  return { id: candidate, award, refuse, wait_seconds: wait };
}

async function decide(context: Context, wanted: number, candidate: number, verdict: Options): Promise<void> {
  const { clock } = context;
  const decision = toDecision(candidate, verdict);
  const { done, account } = await context.withStore(async (store) => {
    const earning = await store.earningByAct(wanted, candidate);
    const request = { gigId: wanted, decision, actor: COMMAND_LINE };
    const deps = { store, clock, learnPaid: learnerOf(context, store) };
    return { done: await carryOut(deps, await prepareDecision(deps, request)), account: earning };
  });
  const who = account === null ? `candidate ${candidate}` : accountKeyText(account);
  const left = `${formatAmount(done.left, done.gig.token.decimals)} ${done.gig.token.symbol}`;
  const deed = done.awarded === 1 ? 'is awarded' : done.refused === 1 ? 'is refused' : 'waits';
  context.print(plain(`Decided: ${who} ${deed}. ${left} of gig ${wanted} are left.`));
}

/** `gig candidates|decide`: submissions to bounties, and decisions about them. */
export function addBountyCommands(gig: Command, context: Context): void {
  const lister = pageOptions(
    gig
      .command('candidates')
      .description(
        'the submissions to a bounty that wait for a decision, longest wait first; the texts come from the platform, so the ' +
          'command needs the service’s variables',
      )
      .addArgument(gigArgument()),
    CANDIDATE_TABLE,
  ).action((wanted: number, options: ListOptions) => list(context, wanted, options));
  examples(lister, 'gig candidates 42', `gig candidates 42 --limit ${MAX_DECISIONS} --json`);

  const decider = gig
    .command('decide')
    .description('award or refuse a submission to a bounty, finally, or put it off')
    .addArgument(gigArgument())
    .argument('<candidate>', 'the id of the candidate', candidateId)
    .option('--award <amount>', 'award this amount, in whole tokens', by(amountField('award')))
    .option('--refuse <why>', 'refuse it; the account sees this reason', by(whyField))
    .option('--wait <duration>', 'ask the verifier again after 30m, 1h or 2d', duration)
    .action((wanted: number, candidate: number, verdict: Options) => decide(context, wanted, candidate, verdict));
  examples(decider, 'gig decide 42 7 --award 12.5', 'gig decide 42 7 --refuse "too late"', 'gig decide 42 7 --wait 1h');
}
