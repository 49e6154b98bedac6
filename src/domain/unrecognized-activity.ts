/** What a gig's wallet did by another hand than the service's: it spent a nonce, or a transaction took tokens from it. */
export type UnrecognizedActivity =
  | { readonly kind: 'nonce'; readonly nonce: number }
  | { readonly kind: 'transaction'; readonly hash: `0x${string}` };

/** One that the operator knows of and lets pass. Epoch milliseconds. */
export type AcknowledgedActivity = UnrecognizedActivity & { readonly acceptedAt: number };

/** A foreign use as an audit finds it; `text` is a sentence. */
export type FoundActivity = UnrecognizedActivity & { readonly text: string };

function isSameUse(a: UnrecognizedActivity, b: UnrecognizedActivity): boolean {
  return a.kind === 'nonce' ? b.kind === 'nonce' && a.nonce === b.nonce : b.kind === 'transaction' && a.hash === b.hash;
}

/** A use that was accepted, as a note. */
export function acknowledgedText({ text }: FoundActivity, acceptedAt: number): string {
  return `${text}; accepted on ${new Date(acceptedAt).toISOString()}`;
}

/** Parts foreign uses into problems and, where the operator accepted them, notes. */
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
