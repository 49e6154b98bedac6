import { StepError } from '../step-error.ts';

/** A form as a browser would send it. */
export interface PageForm {
  /** Path and query. */
  readonly action: string;
  readonly method: 'get' | 'post';
  /** Whether it carries files, and so is sent in parts. */
  readonly isMultipart: boolean;
  /** What it holds before somebody types. */
  readonly fields: ReadonlyMap<string, string>;
  /** The values that can be chosen, by field. */
  readonly choices: ReadonlyMap<string, readonly string[]>;
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** A text of the service's markup as it is read. */
export function unescaped(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => NAMED[name] ?? '');
}

function attribute(tag: string, name: string): string | null {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? null : unescaped(found);
}

function addInputs(body: string, fields: Map<string, string>): void {
  for (const [tag] of body.matchAll(/<input\b[^>]*>/g)) {
    const [name, type] = [attribute(tag, 'name'), attribute(tag, 'type')];
    const isLeftOut = type === 'file' || ((type === 'checkbox' || type === 'radio') && !/\schecked\b/.test(tag));
    if (name !== null && !isLeftOut) fields.set(name, attribute(tag, 'value') ?? '');
  }
}

function addTexts(body: string, fields: Map<string, string>): void {
  for (const [, tag = '', text = ''] of body.matchAll(/(<textarea\b[^>]*>)([\s\S]*?)<\/textarea>/g)) {
    const name = attribute(tag, 'name');
    // A browser drops the line break after the tag.
    if (name !== null) fields.set(name, unescaped(text.replace(/^\n/, '')));
  }
}

/** The values of radio buttons, by field. */
function radioChoices(body: string): Map<string, readonly string[]> {
  const radios = [...body.matchAll(/<input\b[^>]*\stype="radio"[^>]*>/g)].map(([tag]) => tag);
  const named = Map.groupBy(radios, (tag) => attribute(tag, 'name') ?? '');
  return new Map([...named].map(([name, tags]) => [name, tags.map((tag) => attribute(tag, 'value') ?? '')]));
}

function readChoices(body: string, fields: Map<string, string>): Map<string, readonly string[]> {
  const choices = radioChoices(body);
  for (const [, tag = '', list = ''] of body.matchAll(/(<select\b[^>]*>)([\s\S]*?)<\/select>/g)) {
    const name = attribute(tag, 'name');
    const options = [...list.matchAll(/<option\b[^>]*>/g)].map(([option]) => option);
    const chosen = options.find((option) => /\sselected\b/.test(option)) ?? options[0];
    if (name === null) continue;
    choices.set(
      name,
      options.map((option) => attribute(option, 'value') ?? ''),
    );
    if (chosen !== undefined) fields.set(name, attribute(chosen, 'value') ?? '');
  }
  return choices;
}

/**
 * The first form of a page of the service whose action this is. The service writes attributes in double quotes.
 * @throws StepError when there is none
 */
export function readPageForm(page: string, action: string): PageForm {
  for (const [, tag = '', body = ''] of page.matchAll(/(<form\b[^>]*>)([\s\S]*?)<\/form>/g)) {
    if (attribute(tag, 'action') !== action) continue;
    const fields = new Map<string, string>();
    addInputs(body, fields);
    addTexts(body, fields);
    const choices = readChoices(body, fields);
    return {
      action,
      method: attribute(tag, 'method') === 'post' ? 'post' : 'get',
      isMultipart: attribute(tag, 'enctype') === 'multipart/form-data',
      fields,
      choices,
    };
  }
  throw new StepError(`The page has no form that leads to ${action}.`);
}
