import type { Command } from 'commander';
import type { AnswerBasis, KeptOddAnswer } from '../../domain/platforms/odd-answer.ts';
import { isoText } from '../../domain/time.ts';
import { examples, jsonOption, tableOptions } from '../arguments.ts';
import type { Context } from '../context.ts';
import { type ListView, printList, type Table } from '../table.ts';

const BASES: Readonly<Record<AnswerBasis, string>> = { status: 'its status', type: 'its type', words: 'its words' };

const ANSWER_TABLE: Table<KeptOddAnswer> = {
  service: ({ service }) => service,
  request: { read: ({ method, path }) => `${method} ${path}`, cut: 'end' },
  status: ({ status }) => status,
  'treated by': ({ basis }) => BASES[basis],
  times: ({ times }) => times,
  first: { read: ({ firstSeenAt }) => isoText(firstSeenAt), cut: 'time', spare: 2 },
  last: { read: ({ lastSeenAt }) => isoText(lastSeenAt), cut: 'time' },
  'content type': { read: ({ contentType }) => contentType, cut: 'end', spare: 1 },
  'retry after': { read: ({ retryAfter }) => retryAfter, cut: 'end', spare: 3 },
  body: { read: ({ body }) => body, cut: 'end' },
};

function toItem({ kind: _kind, basis, contentType, retryAfter, firstSeenAt, lastSeenAt, ...answer }: KeptOddAnswer) {
  return {
    ...answer,
    treated_by: basis,
    content_type: contentType,
    retry_after: retryAfter,
    first_seen_at: isoText(firstSeenAt),
    last_seen_at: isoText(lastSeenAt),
  };
}

async function list(context: Context, view: ListView): Promise<void> {
  const found = await context.withStore((store) => store.oddAnswers());
  printList(context, found, { view, empty: 'Every answer was understood.', item: toItem, table: ANSWER_TABLE });
}

/** `platform answers`: the answers of other services that were not understood. */
export function addAnswersCommand(platform: Command, context: Context): void {
  const command = platform
    .command('answers')
    .description(
      'the answers of platforms and chains that the service does not understand, newest first, to report them. Each kind is one ' +
        'entry; secrets, addresses and keys are taken out',
    )
    .addOption(jsonOption('array'));
  tableOptions(command, ANSWER_TABLE).action((view: ListView) => list(context.withoutFloors(), view));
  examples(command, 'platform answers', 'platform answers --json');
}
