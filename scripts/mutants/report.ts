import type { Verdict } from './judge.ts';

export interface Report {
  /** The share of the faults that tests notice, of those that are not equivalent; 1 when there are none. */
  readonly noticed: number;
  readonly text: string;
}

function described({ mutant: { file, line, name }, outcome, why }: Verdict): string {
  return [
    `${file}:${line} ${outcome}`,
    `  at   ${name.at}`,
    `  code ${name.code}`,
    `  to   ${name.to}`,
    `  ${why}`,
  ].join('\n');
}

/** The report of all faults: those that no test notices, those that are equivalent, and the shares. */
export function reportOf(verdicts: readonly Verdict[]): Report {
  const of = (...outcomes: Verdict['outcome'][]) => verdicts.filter(({ outcome }) => outcomes.includes(outcome));
  const share = (from: readonly Verdict[]): number => {
    const counted = from.filter(({ outcome }) => outcome !== 'equivalent');
    const noticed = counted.filter(({ outcome }) => outcome === 'failed' || outcome === 'timed out');
    return counted.length === 0 ? 1 : noticed.length / counted.length;
  };
  const percent = (from: readonly Verdict[]): string => `${(share(from) * 100).toFixed(1)} %`;
  const unnoticed = of('unnoticed', 'not reached');
  const rooms = (['money', 'identity', 'delivery'] as const).map((subject) => {
    const own = verdicts.filter(({ mutant }) => mutant.decides === subject);
    return `${subject} ${percent(own)} of ${own.length}`;
  });
  const text = [
    ...of('equivalent').map(described),
    ...unnoticed.map(described),
    `${verdicts.length} faults: ${of('failed').length} failed a test, ${of('timed out').length} took too long, ` +
      `${of('equivalent').length} are equivalent, ${of('unnoticed').length} were not noticed, ` +
      `${of('not reached').length} were not reached.`,
    `Noticed: ${percent(verdicts)} of those that are not equivalent (${rooms.join('; ')}).`,
  ].join('\n');
  return { noticed: share(verdicts), text };
}
