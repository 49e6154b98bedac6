import type { KeptOddAnswer } from '../../domain/platforms/odd-answer.ts';
import { isoText } from '../../domain/time.ts';
import type { Context } from '../context.ts';
import type { Check } from './doctor-checks.ts';

/** How many kinds there are, and when the last was seen. */
function textOf(answers: readonly KeptOddAnswer[]): string {
  const [newest] = answers;
  if (newest === undefined) return 'Every answer of the platforms and the chains was understood';
  const count = answers.length === 1 ? '1 kind of answer was' : `${answers.length} kinds of answers were`;
  return `${count} not understood, last by ${newest.service} at ${isoText(newest.lastSeenAt)}`;
}

/** Whether answers of platforms and chains were not understood lately. */
export async function checkAnswers(context: Context): Promise<Check> {
  const answers = await context.withStore((store) => store.oddAnswers());
  const finding = { name: 'answers', ok: true, detail: textOf(answers) };
  if (answers.length === 0) return { ...finding, remedy: '' };
  return { ...finding, mark: 'warning', remedy: 'See `npm run admin -- platform answers`, and report them.' };
}
