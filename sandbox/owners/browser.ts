import { StepError } from '../step-error.ts';
import { type PageForm, readPageForm, unescaped } from './forms.ts';

/** A page of the service, as a browser shows it. */
export interface ShownPage {
  readonly status: number;
  /** Path and query, after all redirects. */
  readonly path: string;
  readonly text: string;
}

/** A person's browser at the service's pages: it keeps cookies, follows redirects, and sends the forms that pages have. */
export interface PersonBrowser {
  /** @throws StepError when the service does not answer */
  open(path: string): Promise<ShownPage>;
  /**
   * Sends the form of the page that leads to `action`, with what was typed over what it holds.
   * @throws StepError when the page has no such form, or the service does not answer
   */
  submit(page: ShownPage, action: string, typed?: Readonly<Record<string, string>>): Promise<ShownPage>;
  /** The lines in which the service set the cookies that are kept, by their names. */
  readonly cookies: ReadonlyMap<string, string>;
}

const MOST_REDIRECTS = 5;
/** A claim may wait 20 s for its confirmations. */
const PATIENCE_MS = 30_000;

/** What a page says is wrong, as a whole and with its fields, in its own words; null when it says nothing of the kind. */
function problemOf({ text }: ShownPage): string | null {
  const said = [...text.matchAll(/id="(?:[a-z_]+-)?problem"[^>]*>([\s\S]*?)<\/(?:p|div)>/g)];
  const problems = said.map(([, markup = '']) => unescaped(markup.replaceAll(/<[^>]*>/g, '')).trim());
  return problems.length === 0 ? null : problems.join(' ');
}

/**
 * The page, which is what was to be shown.
 * @returns the parts of its path that the expression takes
 * @throws StepError with what the page says is wrong when it is another one
 */
export function mustShow(page: ShownPage, path: RegExp): RegExpExecArray {
  const found = path.exec(page.path);
  if (page.status === 200 && found !== null) return found;
  throw new StepError(problemOf(page) ?? `The service answered ${page.status} at ${page.path}.`);
}

function bodyOf(
  { isMultipart, fields }: PageForm,
  typed: Readonly<Record<string, string>>,
): FormData | URLSearchParams {
  const body = isMultipart ? new FormData() : new URLSearchParams();
  // Line breaks travel in a form as two characters.
  for (const [name, value] of new Map([...fields, ...Object.entries(typed)])) {
    body.append(name, value.replaceAll(/\r?\n/g, '\r\n'));
  }
  return body;
}

/** A browser without any cookie, at the service at `url`. `userAgent` is what it calls itself. */
export function openPersonBrowser({ url, userAgent }: { url: string; userAgent: string }): PersonBrowser {
  const cookies = new Map<string, string>();

  function keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, line);
    }
  }

  async function ask(path: string, init: RequestInit): Promise<Response> {
    const kept = [...cookies.values()].map((line) => line.split(';')[0]);
    const headers = { 'user-agent': userAgent, origin: url, cookie: kept.join('; ') };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(`${url}${path}`, { ...init, headers, redirect: 'manual', signal }).catch(() => null);
    if (answer === null) throw new StepError('The service does not answer: it is down or restarting.');
    keep(answer.headers.getSetCookie());
    return answer;
  }

  async function show(path: string, init: RequestInit): Promise<ShownPage> {
    let at = path;
    let answer = await ask(at, init);
    for (let count = 0; count < MOST_REDIRECTS && answer.status === 303; count += 1) {
      const to = new URL(answer.headers.get('location') ?? '', `${url}${at}`);
      at = to.pathname + to.search;
      answer = await ask(at, {});
    }
    return { status: answer.status, path: at, text: await answer.text() };
  }

  return {
    cookies,
    open: (path) => show(path, {}),
    submit: async (page, action, typed = {}) => {
      const form = readPageForm(page.text, action);
      const body = bodyOf(form, typed);
      if (form.method === 'post') return await show(action, { method: 'POST', body });
      return await show(`${action}?${new URLSearchParams([...form.fields])}`, {});
    },
  };
}
