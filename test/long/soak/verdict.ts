import { type Cut, isGivenUp, type Outage } from './answers.ts';
import type { Evidence, Holding } from './evidence.ts';
import type { Sample } from './watch.ts';

/** How long after its return a connection may still break that was opened to the process before. Milliseconds. */
const AFTERMATH_MS = 1_000;
/** The write-ahead log begins anew when it holds eight megabytes or so. */
const LARGEST_WAL = 16 * 2 ** 20;
/** A process has grown to its size after this age, in milliseconds. */
const WARM_MS = 10_000;
/** What it may grow after that, and from one life to the last, as a factor. */
const GROWTH = { within: 1.15, across: 1.35 };
/** Fewer samples than this of one age say nothing. */
const FEWEST_SAMPLES = 10;
/** Samples come twice a second. */
const EVERY_TEN_SECONDS = 20;

function ofMentions({ mentions, strayReplies }: Evidence): string[] {
  return [
    ...mentions
      .filter(({ acknowledged, replies }) => (acknowledged ? replies !== 1 : replies > 1))
      .map(
        ({ name, acknowledged, replies }) =>
          `${name} got ${replies} replies and its delivery ${acknowledged ? 'a 200' : 'no 200'}`,
      ),
    ...strayReplies.map((post) => `the bot replied to ${post}, which nobody asked it`),
  ];
}

function isRight({ held, expected, orMore }: Holding): boolean {
  return held === expected || (orMore && held > expected);
}

function ofMoney({ holdings, strayTransfers, gigs, reconcile }: Evidence): string[] {
  return [
    ...holdings
      .filter((holding) => !isRight(holding))
      .map(({ name, symbol, held, expected }) => `${name} holds ${held} units of ${symbol} instead of ${expected}`),
    ...strayTransfers.map((transfer) => `nobody knows of the transfer ${transfer}`),
    ...gigs.filter(({ live }) => !live).map(({ id }) => `gig ${id} is funded and not live`),
    ...gigs.filter(({ starts }) => starts > 1).map(({ id, starts }) => `gig ${id} was started ${starts} times`),
    ...(reconcile.code === 0 ? [] : [`reconcile ended with ${reconcile.code}: ${reconcile.output.trim().slice(-400)}`]),
  ];
}

function isExcused({ startedAt, at }: Cut, outages: readonly Outage[]): boolean {
  return outages.some(({ from, until }) => at >= from && startedAt <= until + AFTERMATH_MS);
}

function ofAnswers({ answers, outages }: Evidence): string[] {
  // A client that gives up has met a machine that is too busy, which is no fault by itself.
  const unexcused = answers.cuts.filter((cut) => !isGivenUp(cut) && !isExcused(cut, outages));
  return [
    ...answers.complaints,
    ...unexcused.slice(0, 5).map(({ operation, at }) => {
      return `“${operation}” got no answer at ${new Date(at).toISOString()}, when the service was up`;
    }),
    ...(unexcused.length > 5 ? [`so did ${unexcused.length - 5} more`] : []),
  ];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}

/** The warm samples of each life of the service, oldest life first. */
function warmLives(samples: readonly Sample[]): Sample[][] {
  return [...Map.groupBy(samples, ({ pid }) => pid).values()].map((life) => {
    const born = life[0]?.at ?? 0;
    return life.filter(({ at }) => at - born >= WARM_MS);
  });
}

/** What is nearly the least: the memory after a major collection. */
function low(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)] ?? 0;
}

/**
 * What the service's memory was like: in the first warm life and the last, and in the two halves of the last. Bytes. Memory goes up
 * until a major collection, which comes every minute or two: within a life what is left after one tells whether it grows.
 */
export function memoryOf(samples: readonly Sample[]) {
  const lives = warmLives(samples).filter((life) => life.length >= FEWEST_SAMPLES);
  const last = lives.at(-1);
  if (last === undefined) return null;
  const levels = last.map(({ memory }) => memory);
  const half = Math.floor(levels.length / 2);
  return {
    // As old as any life gets that is killed.
    first: median((lives[0] ?? last).map(({ memory }) => memory)),
    last: median(levels),
    earlier: low(levels.slice(0, half)),
    later: low(levels.slice(half)),
    most: Math.max(...samples.map(({ memory }) => memory)),
    /** One of every ten seconds of the last life. */
    course: levels.filter((_, index) => index % EVERY_TEN_SECONDS === 0),
  };
}

function ofMemory({ samples }: Evidence): string[] {
  const memory = memoryOf(samples);
  if (memory === null) return ['no life of the service was long enough to see whether its memory grows'];
  const { first, last, earlier, later } = memory;
  return [
    ...(later > earlier * GROWTH.within
      ? [`memory grew from ${megabytes(earlier)} to ${megabytes(later)} within the last life`]
      : []),
    ...(last > first * GROWTH.across
      ? [`memory grew from ${megabytes(first)} in the first life to ${megabytes(last)} in the last`]
      : []),
  ];
}

function ofLog({ samples }: Evidence): string[] {
  const largest = Math.max(...samples.map(({ wal }) => wal));
  return largest > LARGEST_WAL ? [`the write-ahead log grew to ${megabytes(largest)}`] : [];
}

/** A sentence for everything that was lost, doubled or answered wrongly. */
export function judgeExactness(evidence: Evidence): string[] {
  return [...ofMentions(evidence), ...ofMoney(evidence), ...ofAnswers(evidence)];
}

/** A sentence for everything that must not be; none when the service kept all of its promises. */
export function judge(evidence: Evidence): string[] {
  return [...judgeExactness(evidence), ...ofMemory(evidence), ...ofLog(evidence)];
}

/** What was done and seen, in lines for people. */
export function describe(evidence: Evidence): string[] {
  const { mentions, answers, outages, samples, holdings, gigs } = evidence;
  const acknowledged = mentions.filter((mention) => mention.acknowledged).length;
  const found = mentions.filter((mention) => !mention.acknowledged && mention.replies > 0).length;
  const counts = [...answers.counts].map(([operation, statuses]) => {
    const each = [...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, n]) => `${n} × ${status === 0 ? 'cut' : status}`);
    return `  ${operation}: ${each.join(', ')}; the slowest after ${answers.slowest.get(operation) ?? 0} ms`;
  });
  const late = answers.cuts.filter((cut) => isGivenUp(cut) && !isExcused(cut, outages)).length;
  const downs = outages.map(({ from, until }) => until - from);
  const memory = memoryOf(samples);
  return [
    'answers by status:',
    ...counts,
    `clients gave up ${late} times while the service was up`,
    `mentions: ${mentions.length}, ${acknowledged} with a 200; ${found} more were found by polling and answered`,
    `gigs: ${gigs.length}; balances held against what was promised: ${holdings.length}`,
    `killed ${downs.length} times; back after ${median(downs)} ms in the median, ${Math.max(0, ...downs)} ms at most`,
    memory === null
      ? 'memory: not seen for long enough'
      : `memory: ${megabytes(memory.first)} in the first life and ${megabytes(memory.last)} in the last, there at least ` +
        `${megabytes(memory.earlier)} and later ${megabytes(memory.later)}; never more than ${megabytes(memory.most)}`,
    `memory of the last life, every 10 s: ${(memory?.course ?? []).map(megabytes).join(', ')}`,
    `write-ahead log: never more than ${megabytes(Math.max(0, ...samples.map(({ wal }) => wal)))}`,
  ];
}
