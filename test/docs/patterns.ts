/**
 * Phrases that a reader stumbles over, in documents and in what the service says, each as an expression that finds it in prose.
 * Where a phrase has a plain use as well, the expression finds the other one alone.
 */
export const PATTERNS: readonly RegExp[] = [
  /\b(?:tells?|told|telling) of\b/gi,
  /\b(?:is|are|was|were|be|been) told\b/gi,
  /\b(?:says?|said) of\b/gi,
  /\bwhat (?:becomes?|became) of\b/gi,
  /\b(?:decides?|decided|deciding) about\b/gi,
  /\bof a day\b/gi,
  /\bfor good\b/gi,
  /\bbesides\b(?! links and names)/gi,
  /\bas well as nothing\b/gi,
  /\bnothing (?:of|that|else|in|about|but) (?:\w+ ){1,3}(?:is|are)\b/gi,
  /\bwhoever\b/gi,
  // As a subject: "Who waits, …"; "accounts, who wait, …" is plain.
  /(?:^|[.;:|] )who [^.,;:]{1,80},/gim,
  /\bis as it was\b/gi,
  /\b(?:comes?|came) to\b/gi,
  /\bhas (?:\w+ ){1,3}done by\b/gi,
  /\bw(?:as|ere) (?:\w+ )?(?:\w+ed|paid|sent|given|done|made) yet\b/gi,
  /, too\b(?! (?:few|large|long|many|much|small)\b)/gi,
  /\bonce it is\b/gi,
  /\bat its start\b/gi,
  // A sentence whose subject is a riddle; a question may begin so.
  /(?:^|[.!?] )(?:Who|What|Whatever|Nobody|Somebody) (?![^.!\n]*\?)/gm,
];

/** Each use of a pattern in a document, with what stands around it. Code does not count. */
export function usesOf(markdown: string): string[] {
  const withoutCode = markdown.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').replaceAll(/`[^`]*`/g, 'code');
  const text = withoutCode.replaceAll(/\n(?=[^\n|#-])[> ]*/g, ' ');
  return PATTERNS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ index }) =>
      text.slice(Math.max(0, index - 30), index + 50).replaceAll('\n', ' '),
    ),
  );
}
