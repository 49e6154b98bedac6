import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Movement } from '../domain/papers/movement.ts';
import { PAPER_FORMS, type PaperForm } from '../domain/papers/paper-csv.ts';
import { dollars, worthOf } from '../domain/prices/price.ts';
import { HOUR_MS } from '../domain/time.ts';
import type { Papers } from '../services/papers/read-papers.ts';
import type { AppEnv } from './middleware/context.ts';
import { streamText } from './stream-text.ts';
import type { Markup, Root } from './ui/layout.ts';
import type { PriceView } from './worth.ts';

/** The clock, and where prices are from. */
interface PaperContext {
  readonly clock: () => number;
  readonly site: PriceView;
}

/** A movement is worth what its token is worth now, while that is its price then. */
const SAME_PRICE_MS = HOUR_MS;

function createWorth({ clock, site: { priceOf } }: PaperContext) {
  return (movement: Movement): string | null => {
    if (priceOf === undefined || clock() - movement.at > SAME_PRICE_MS) return null;
    const worth = worthOf([movement], priceOf);
    return worth && dollars(worth.usd);
  };
}

async function* linesOf({ header, lines }: PaperForm, papers: Papers, deps: PaperContext): AsyncGenerator<string> {
  const usdOf = createWorth(deps);
  yield header;
  for await (const movements of papers) yield movements.map((each) => lines(each, usdOf(each))).join('');
}

/** Answers with papers in a form, sent while they are read. */
export function answerPapers(
  c: Context<AppEnv>,
  deps: PaperContext,
  { form, papers, about }: { readonly form: PaperForm; readonly papers: Papers; readonly about: string },
): Response {
  return c.body(streamText(linesOf(form, papers, deps)), 200, {
    ...c.get('request').headers,
    'cache-control': 'no-store',
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${about}-${form.name}.csv"`,
  });
}

/** Buttons that download papers in each form. `path` is below the root; a form adds its name to it. */
export function renderPaperButtons({ root }: Root, path: string): Markup {
  return html`${PAPER_FORMS.map(
    ({ name, label }) => html`<a class="button" href="${root}${path}/${name}.csv">${label}</a>
`,
  )}`;
}
