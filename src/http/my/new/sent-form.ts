import type { Terms } from '../../../domain/gigs/terms.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../../domain/gigs/token.ts';
import { type GigPreview, type OfferedToken, previewOwnGig } from '../../../services/owners/create-gig.ts';
import { isDust } from '../../../services/payments/gas-tank.ts';
import type { RequestProblem } from '../../frame/audience.ts';
import type { MyContext, OwnerVisit } from '../context.ts';
import type { MyView } from '../view.ts';
import type { Filled } from './earning-fields.ts';
import { type FormProblems, LABELS, readTerms, sortProblems } from './fields.ts';
import { type GigFormUse, gigFormView } from './page.ts';

const NAMES = Object.keys(LABELS);

/** A form of a gig as it was sent. */
export interface SentForm {
  /** Every field, as it was typed, without the spaces around it. */
  readonly filled: Filled;
  readonly key: string;
  /** Whether to show what the gig would be, and change nothing. */
  readonly isPreview: boolean;
  /** Every field as it was sent, which makes two requests the same. */
  readonly fields: Readonly<Record<string, string | null>>;
}

/** Reads a form of a gig. */
export function readSent(sent: URLSearchParams): SentForm {
  return {
    filled: Object.fromEntries(NAMES.map((name) => [name, (sent.get(name) ?? '').trim()])),
    key: sent.get('key') ?? '',
    isPreview: sent.has('preview'),
    fields: Object.fromEntries(NAMES.map((name) => [name, sent.get(name)])),
  };
}

/** What every form of a page has. */
export interface FormPage {
  readonly use: GigFormUse;
  readonly tokens: readonly OfferedToken[];
}

/** What a form is shown with. */
interface Filling {
  readonly filled: Filled;
  readonly key: string;
  readonly problems?: FormProblems;
  readonly preview?: GigPreview;
  /** Whether what was typed before and not sent may take its place. */
  readonly isDrafted?: boolean;
}

function isOfDust({ gasTank }: MyContext, { most, token: { chain, address } }: GigPreview): boolean {
  const token = { chainId: chain.id, isNative: address === NATIVE_TOKEN_ADDRESS };
  return most !== null && isDust(gasTank, { token, amount: most, payments: 1 });
}

/** The form, with what was typed. */
export function showForm({ deps, session }: OwnerVisit, { use, tokens }: FormPage, shown: Filling): MyView {
  const { preview = null } = shown;
  const form = {
    problems: null,
    isDust: preview !== null && isOfDust(deps, preview),
    preview: null,
    isDrafted: false,
    hasNames: deps.names !== undefined,
    tokens,
    feeBps: deps.feeBps,
    ...shown,
  };
  return gigFormView(deps.site, session, { form, use });
}

/** The terms of a sent form; or the form, with what is wrong with it, or with its preview. */
export async function termsOrView(
  visit: OwnerVisit,
  page: FormPage,
  { filled, key, isPreview }: SentForm,
): Promise<{ readonly terms: Terms } | { readonly view: MyView }> {
  const { deps } = visit;
  const { mayLackRefund = false } = page.use;
  const read = readTerms(filled, { now: deps.clock(), earningOnX: deps.earningOnX, mayLackRefund });
  if (!('terms' in read)) return { view: showForm(visit, page, { filled, key, problems: read }) };
  if (!isPreview) return read;
  const preview = await previewOwnGig(deps, { terms: read.terms, tokens: page.tokens, owner: visit.session });
  return { view: showForm(visit, page, { filled, key, preview }) };
}

/** What a service says is wrong with a filled form. */
export function serviceProblems({ text, problems }: RequestProblem, filled: Filled): FormProblems {
  return problems.length > 0 ? sortProblems(problems, filled) : { fields: new Map(), others: [text] };
}
