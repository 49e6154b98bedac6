import type { Measure } from './mentions/reply-text.ts';
import type { ReplyWorth } from './mentions/reply-worth.ts';

type Words<Fields> = string | ((fields: Fields) => string);

/** What an error code says to each reader. Words that are left out are the next more general ones. */
interface StatedWords<Fields> {
  /** The sentence of the API's answer; `when` where it is the same. */
  readonly api?: Words<Fields>;
  /** The answer's body but for code and id, where it is more than `error` with that sentence. */
  readonly body?: (fields: Fields, sentence: string) => object;
  /** The answer's own headers, by lower-case name. */
  readonly headers?: (fields: Fields) => Readonly<Record<string, string>>;
  /** For people in a browser; those of the API when absent. */
  readonly person?: Words<Fields>;
  /** For the command line; those for people when absent. */
  readonly cli?: Words<Fields>;
  /** The bot's reply; absent where no command causes the refusal, because other words may quote a stranger. */
  readonly bot?: string | ((fields: Fields, measure: Measure) => string);
  /** The worth of the reply; that of its command when absent. */
  readonly worth?: ReplyWorth;
}

/** An error code: its HTTP status, and its words for each reader. `Fields` are what a refusal says beside its code. */
export interface RefusalRow<Fields> {
  readonly status: number;
  readonly when: string;
  readonly body: (fields: Fields) => object;
  readonly headers: ((fields: Fields) => Readonly<Record<string, string>>) | undefined;
  readonly person: (fields: Fields) => string;
  readonly cli: (fields: Fields) => string;
  readonly bot: (fields: Fields, measure: Measure) => string;
  readonly worth: ReplyWorth | undefined;
}

function saying<Fields>(words: Words<Fields>): (fields: Fields) => string {
  return typeof words === 'string' ? () => words : words;
}

/**
 * The row of an error code.
 * @param status the HTTP status of the API's answer
 * @param when when the API answers it, a sentence without a full stop, as `docs/api.md` has it
 */
export function refusalRow<Fields = unknown>(
  status: number,
  when: string,
  words: StatedWords<Fields> = {},
): RefusalRow<Fields> {
  const { api = when, person = api, cli = person, bot = 'That did not work.', headers, worth } = words;
  const { body = (_, error) => ({ error }) } = words;
  const sentence = saying(api);
  return {
    status,
    when,
    body: (fields) => body(fields, sentence(fields)),
    headers,
    person: saying(person),
    cli: saying(cli),
    bot: typeof bot === 'string' ? () => bot : bot,
    worth,
  };
}

/** The header of an answer after which another try may succeed, in whole seconds; null: it would fail the same way. */
export function waitHeader(seconds: number | null): Readonly<Record<string, string>> {
  return seconds === null ? {} : { 'retry-after': String(seconds) };
}

type FieldsOf<Row> = Row extends RefusalRow<infer Fields> ? Fields : never;

/** A refusal by each of these rows: its code with its fields. */
export type RefusalBy<Rows, Code extends keyof Rows> = {
  [Each in Code]: { readonly code: Each } & FieldsOf<Rows[Each]>;
}[Code];

/** Rows by their codes, so that a refusal meets the row of its own fields. */
export type RowTable<Rows> = { readonly [Code in keyof Rows]: RefusalRow<FieldsOf<Rows[Code]>> };
