/** Activity of a gig's wallet that the service did not cause: a spent nonce, or a transaction that took tokens. */
export type UnrecognizedActivity =
  | { readonly kind: 'nonce'; readonly nonce: number }
  | { readonly kind: 'transaction'; readonly hash: `0x${string}` };

/** Activity that the operator has accepted. Epoch milliseconds. */
export type AcknowledgedActivity = UnrecognizedActivity & { readonly acceptedAt: number };

/** Unrecognized activity as an audit found it; `text` is a sentence. */
export type FoundActivity = UnrecognizedActivity & { readonly text: string };

function isSameUse(a: UnrecognizedActivity, b: UnrecognizedActivity): boolean {
  return a.kind === 'nonce' ? b.kind === 'nonce' && a.nonce === b.nonce : b.kind === 'transaction' && a.hash === b.hash;
}

/** The note about acknowledged activity. */
export function acknowledgedText({ text }: FoundActivity, acceptedAt: number): string {
  return `${text}; accepted on ${new Date(acceptedAt).toISOString()}`;
}

/** Splits unrecognized activity into problems and, where the operator acknowledged it, notes. */
export function judgeActivity(
  uses: readonly FoundActivity[],
  accepted: readonly AcknowledgedActivity[],
): { problems: FoundActivity[]; notes: string[] } {
  const judged = uses.map((use) => ({ use, known: accepted.find((each) => isSameUse(each, use)) }));
  return {
    problems: judged.filter(({ known }) => known === undefined).map(({ use }) => use),
    notes: judged.flatMap(({ use, known }) => (known === undefined ? [] : [acknowledgedText(use, known.acceptedAt)])),
  };
}
