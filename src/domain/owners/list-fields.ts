/** What separates the fields of a list. */
export type Separator = ',' | ';' | '\t';

/** A line of a list by its fields; null when its quotes do not match. */
export interface ListLine {
  /** Its number in the text, from 1 on. */
  readonly place: number;
  readonly text: string;
  readonly fields: readonly string[] | null;
  /** The line whose quotes go on to this one, so that what stands here is a part of a field; null for a line of its own. */
  readonly within: number | null;
}

/** In the order in which they are believed: with `;` and tabs, a comma is part of a number. */
const SEPARATORS: readonly Separator[] = ['\t', ';', ','];
/** More columns than a list has; what follows is not read. */
const MOST_FIELDS = 100;
/** Spreadsheets write it to say what separates fields. */
const SAID = /^"?sep=(.)"?$/i;

/** A field in quotes, in which two quotes are one, or one without quotes; then a separator or the end. */
const FIELDS: Readonly<Record<Separator, RegExp>> = {
  ',': /(?:\s*"((?:[^"]|"")*)"\s*|([^",]*))(,|$)/y,
  ';': /(?:\s*"((?:[^"]|"")*)"\s*|([^";]*))(;|$)/y,
  '\t': /(?: *"((?:[^"]|"")*)" *|([^"\t]*))(\t|$)/y,
};

/** A spreadsheet writes `'` before what it is not to take for a number or a formula. */
function bare(field: string): string {
  return field.trim().replace(/^'/u, '').trim();
}

function fieldsOf(line: string, separator: Separator): string[] | null {
  const pattern = FIELDS[separator];
  const fields: string[] = [];
  for (let at = 0; ; at = pattern.lastIndex) {
    pattern.lastIndex = at;
    const found = pattern.exec(line);
    if (found === null) return null;
    const [, quoted, plain = '', end] = found;
    fields.push(bare(quoted?.replaceAll('""', '"') ?? plain));
    if (end !== '' && fields.length < MOST_FIELDS) continue;
    // A spreadsheet writes as many fields in each line as the longest has.
    while (fields.at(-1) === '' && fields.length > 1) fields.pop();
    return fields;
  }
}

function isSeparator(text: string): text is Separator {
  return SEPARATORS.some((separator) => separator === text);
}

/** In how many lines a separator is looked for: more than a list may have. */
const MOST_LOOKED_AT = 1_000;

/** That of the first line that one divides. */
function findSeparator(lines: readonly string[]): Separator {
  for (const line of lines.slice(0, MOST_LOOKED_AT)) {
    const found = SEPARATORS.find((separator) => (fieldsOf(line, separator)?.length ?? 0) > 1);
    if (found !== undefined) return found;
  }
  return ',';
}

/** Whether a field of a line, which {@link fieldsOf} cannot read, begins with quotes that do not end in it. */
function opensQuotes(line: string, separator: Separator): boolean {
  const pattern = FIELDS[separator];
  for (let at = 0; ; at = pattern.lastIndex) {
    pattern.lastIndex = at;
    const found = pattern.exec(line);
    if (found === null) return line.slice(at).trimStart().startsWith('"');
    if (found[3] === '') return false;
  }
}

/** Finds the lines that are parts of a field: from one that opens quotes to one that closes them, which both are odd in quotes. */
function findWithin(lines: readonly ListLine[], separator: Separator): ListLine[] {
  const isOdd = ({ text }: ListLine) => text.split('"').length % 2 === 0;
  const last = lines.findLastIndex(isOdd);
  let opened: number | null = null;
  return lines.map((line, index) => {
    const within = opened;
    if (isOdd(line)) opened = opened === null && index < last && opensQuotes(line.text, separator) ? line.place : null;
    return within === null ? line : { ...line, fields: null, within };
  });
}

/**
 * The lines of a list as spreadsheets and people write it, without the empty ones. A line that says what separates the fields is
 * followed; else it is the first of tab, `;` and `,` that the list has. Takes linear time.
 */
export function readListLines(text: string): { readonly separator: Separator; readonly lines: readonly ListLine[] } {
  const written = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    // A tab at the beginning ends an empty field.
    .map((line, index) => ({ place: index + 1, text: line.trimEnd() }))
    .filter((line) => line.text !== '');
  const [, said = ''] = SAID.exec(written[0]?.text.trimStart() ?? '') ?? [];
  const lines = said === '' ? written : written.slice(1);
  const separator = isSeparator(said) ? said : findSeparator(lines.map((line) => line.text));
  const read = lines.map((line) => ({ ...line, fields: fieldsOf(line.text, separator), within: null }));
  return { separator, lines: findWithin(read, separator) };
}
