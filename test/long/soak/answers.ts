/** What clients and networks ask of the service in a soak. */
export const OPERATIONS = ['look up', 'read gig', 'create gig', 'start gig', 'award tips', 'claim', 'webhook'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** One answer, as its client saw it. Times are epoch milliseconds. */
export interface Answer {
  /** 0 when the connection broke before there was an answer. */
  readonly status: number;
  readonly body: string;
  readonly startedAt: number;
  readonly at: number;
}

/** A time during which the service was dead: from the kill to its first answer after it. Epoch milliseconds. */
export interface Outage {
  readonly from: number;
  /** Infinity while it lasts. */
  until: number;
}

/** A request that got no answer. */
export type Cut = Pick<Answer, 'startedAt' | 'at'> & { readonly operation: Operation };

/** How long the clients of a soak wait for an answer, in milliseconds; platforms wait less. */
export const PATIENCE_MS = { client: 30_000, platform: 10_000 } as const;
/** Timers may fire a little before their time. */
const TIMER_MS = 100;

/** Whether it was the client who gave up, and not the connection that broke. */
export function isGivenUp({ operation, startedAt, at }: Cut): boolean {
  return at - startedAt >= PATIENCE_MS[operation === 'webhook' ? 'platform' : 'client'] - TIMER_MS;
}

/** What every client saw. */
export interface Answers {
  note(operation: Operation, answer: Answer): void;
  /** Something that no answer may be. */
  complain(sentence: string): void;
  /** The longest that an operation took until its answer came, in milliseconds. */
  readonly slowest: ReadonlyMap<Operation, number>;
  /** By operation and status. */
  readonly counts: ReadonlyMap<Operation, ReadonlyMap<number, number>>;
  readonly complaints: readonly string[];
  readonly cuts: readonly Cut[];
}

const TOO_MANY = 50;
const LONGEST_BODY = 200;

/** Whether the interface documents this answer to requests of the kinds that a soak makes. */
export function isExpected(operation: Operation, { status, body }: Pick<Answer, 'status' | 'body'>): boolean {
  switch (operation) {
    case 'look up':
    case 'read gig':
      return status === 200;
    case 'award tips':
      return status === 201;
    case 'create gig':
      return status === 201 || status === 503;
    case 'webhook':
      return status === 200 || status === 503;
    case 'claim':
      return status === 200 || status === 503 || (status === 404 && body.includes('No tips found'));
    case 'start gig':
      return (
        [200, 409, 503].includes(status) ||
        (status === 400 && (body.includes('is already live') || body.includes('is not funded')))
      );
  }
}

/**
 * Nothing seen yet.
 * @param options.isShared whether a proxy and a database server are in the way: its 502 and the service's 503 for a store
 *   that is away are no answers, and like those excused only by an outage
 */
export function createAnswers({ isShared = false }: { isShared?: boolean } = {}): Answers {
  const counts = new Map<Operation, Map<number, number>>();
  const slowest = new Map<Operation, number>();
  const complaints: string[] = [];
  const cuts: Cut[] = [];
  function complain(sentence: string): void {
    if (complaints.length < TOO_MANY) complaints.push(sentence);
  }
  return {
    counts,
    slowest,
    complaints,
    cuts,
    complain,
    note: (operation, answer) => {
      const took = answer.at - answer.startedAt;
      if (answer.status !== 0) slowest.set(operation, Math.max(took, slowest.get(operation) ?? 0));
      const ofOperation = counts.get(operation) ?? new Map<number, number>();
      counts.set(operation, ofOperation.set(answer.status, (ofOperation.get(answer.status) ?? 0) + 1));
      const isAway = isShared && [502, 503].includes(answer.status) && !isExpected(operation, answer);
      if (answer.status === 0 || isAway) {
        cuts.push({ operation, startedAt: answer.startedAt, at: answer.at });
      } else if (!isExpected(operation, answer)) {
        complain(`“${operation}” was answered with ${answer.status} ${answer.body.slice(0, LONGEST_BODY)}`);
      }
    },
  };
}
