/** What the service does by itself and cannot undo: each asks the chain first. */
export type AutomaticStep = 'cancel' | 'refuse' | 'settle' | 'return';

/** Why such a step waits: the ledger may be an older copy. */
export type StepWait =
  /** The wallet of a gig that has not started, by the ledger, has paid. */
  | 'has_paid'
  /** The ledger has lost tips of gigs of its time: an operator has to say what is owed. */
  | 'lost_tips'
  /** The file of ids beside the database shows that it is an older copy: an operator has to prove the ledger. */
  | 'restored'
  /** What the wallet holds may be owed: `detail` says why. */
  | 'refused'
  /** The chain does not answer, or shows payments that the ledger cannot explain yet. */
  | 'unknown';

export interface Waiting {
  readonly why: StepWait;
  /** What the chain said, a clause; null when there is nothing to add. */
  readonly detail: string | null;
  /** Whether the chain does not answer, whatever gig it is asked about; absent when it has told something of this one. */
  readonly isSilent?: true;
}

export interface HeldStep extends Waiting {
  readonly step: AutomaticStep;
  readonly gigId: number;
  /** Epoch milliseconds. */
  readonly since: number;
}

const STEPS: Readonly<Record<AutomaticStep, string>> = {
  cancel: 'The automatic cancellation',
  refuse: 'The refusal of undecided submissions',
  settle: 'The automatic settlement',
  return: 'The return of the money',
};

const WAITS: Readonly<Record<StepWait, string>> = {
  has_paid: 'its wallet has paid, so it had started, or had been cancelled, in a ledger that is lost',
  lost_tips: 'the ledger has lost tips of that time, and the gig may owe some',
  restored: 'the database may be an older copy, and the gig may owe tips',
  refused: 'what its wallet holds may be owed',
  unknown: 'the chain does not tell all that its wallet has done',
};

const REMEDIES: Readonly<Record<AutomaticStep, (gigId: number) => string>> = {
  cancel: (gigId) => `If gig ${gigId} had started, start it again; otherwise run npm run admin -- gig cancel ${gigId}.`,
  refuse: (gigId) => `Decide again what was decided, then run npm run admin -- gig settle ${gigId}.`,
  settle: (gigId) => `Award again what gig ${gigId} owes, then run npm run admin -- gig settle ${gigId}.`,
  return: (gigId) =>
    `Run npm run admin -- gig refund ${gigId}: it says what the return waits for, and with --yes makes it.`,
};

/** Why a step waits, a clause. */
export function stepWaitWords({ why, detail }: Waiting): string {
  return detail === null ? WAITS[why] : `${WAITS[why]}: ${detail}`;
}

/** That a step of a gig waits, a sentence without a full stop, and what to do about it. */
export function tellHeldStep({ step, gigId, ...wait }: HeldStep): { readonly text: string; readonly remedy: string } {
  const proof =
    wait.why === 'restored' ? ' When reconcile finds that every started gig adds up, it goes on by itself.' : '';
  return {
    text: `${STEPS[step]} of gig ${gigId} waits, because ${stepWaitWords(wait)}`,
    remedy:
      wait.why === 'unknown'
        ? 'It goes on by itself when the chain tells; see its endpoint in doctor.'
        : REMEDIES[step](gigId) + proof,
  };
}
