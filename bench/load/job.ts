/** What the requests of a measurement ask for. */
export type Asked =
  | {
      readonly kind: 'lookups';
      /** Ordinary users of the data; some are asked for far more often than others. */
      readonly users: number;
    }
  | {
      readonly kind: 'casts';
      /** The secret that the events are signed with. */
      readonly secret: string;
      readonly botFid: number;
      /** What every cast says; its author differs from cast to cast. */
      readonly text: string;
    }
  | {
      readonly kind: 'likes';
      readonly secret: string;
      /** The hashes of what is liked in turn, each time by somebody else. */
      readonly casts: readonly string[];
    };

/** One measurement for the load generator. */
export interface Job {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Ends as soon as so many were answered; `seconds` bounds it then. Null for a measurement. */
  readonly requests: number | null;
  /**
   * Requests a second that arrive whatever the answers do, at exponentially distributed intervals; null for a closed loop,
   * in which every connection sends again as soon as it is answered.
   */
  readonly rate: number | null;
  readonly asked: Asked;
  /** Who is asked for in turn depends on it; the same for contenders that are compared. */
  readonly seed: number;
}

/** What a measurement found. Times are milliseconds. */
export interface Outcome {
  /** Answers with status 200 a second. */
  readonly perSecond: number;
  readonly answered: number;
  /** Answers with any other status, by status. */
  readonly refused: Readonly<Record<string, number>>;
  /** Of the answers' bodies, in bytes. */
  readonly meanLength: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly worst: number;
  /** The share of one core that the generator itself used; near 1 it would be the bottleneck. */
  readonly ownCpu: number;
}
