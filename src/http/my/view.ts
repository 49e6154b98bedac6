import { html } from 'hono/html';
import { checksummed } from '../../domain/gigs/token.ts';
import type { Owner } from '../../domain/owners/owner.ts';
import type { SignedIn } from '../../services/owners/sessions.ts';
import { chainName } from '../ui/amounts.ts';
import { renderFormToken } from '../ui/form.ts';
import type { Markup, PageOptions, Root, Site } from '../ui/layout.ts';
import { answerPage } from '../ui/page.ts';
import { renderTime } from '../ui/time.ts';
import type { OwnerVisit } from './context.ts';

/** The pages in the header of every page of an owner, by their paths below `/my`. */
const SECTIONS = [
  ['', 'My gigs'],
  ['/rewards', 'My rewards'],
] as const;

export type MySection = (typeof SECTIONS)[number][1];

/** A page of an owner. */
export interface MyView {
  readonly title: string;
  readonly section: MySection;
  readonly body: Markup;
  /** 200 when absent. */
  readonly status?: number;
  /** Scripts, by their asset names. */
  readonly scripts?: readonly string[];
}

/** What pages of owners look like, signed in or not. */
export const MY_LOOK = { styles: ['admin.css'] } as const;

/** An owner in words. */
export function ownerLabel(owner: Owner): string {
  if (owner.kind === 'account') return `${owner.platform} ${owner.platformUserId}`;
  const wallet = `wallet ${checksummed(owner.address)}`;
  return owner.chainId === null ? wallet : `${wallet} on ${chainName(owner.chainId)}`;
}

function renderSignOut({ root }: Root, owner: SignedIn): Markup {
  return html`<form method="post" action="${root}/my/sign-out">${renderFormToken(owner)}<button class="slim">Sign out</button></form>`;
}

function pageOf(site: Site, signedIn: SignedIn, view: MyView): PageOptions {
  const { root } = site;
  return {
    ...MY_LOOK,
    wide: true,
    title: view.title,
    home: { href: `${root}/my`, label: site.brand.name },
    nav: SECTIONS.map(([path, label]) => ({ href: `${root}/my${path}`, label, current: label === view.section })),
    aside: renderSignOut(site, signedIn),
    scripts: view.scripts ?? [],
    body: html`<div class="stack-wide">${view.body}</div>`,
    footer: html`Signed in as <span class="hash whole">${ownerLabel(signedIn.owner)}</span> until ${renderTime(signedIn.expiresAt)}. <a href="${root}/gigs">All gigs</a> · <a href="${root}/commands">Commands of the bot</a>`,
  };
}

const GIG_PATH = /^\/my\/gigs\/([1-9][0-9]*)/;

/** The page for an owner whose path leads nowhere, with the menu. */
export function missingOwnView({ c }: OwnerVisit, sentence: string): MyView {
  const [, gigId] = GIG_PATH.exec(c.req.path) ?? [];
  const told = gigId === undefined ? sentence : `You don't own gig ${gigId}, or it doesn't exist.`;
  return { title: 'Not found', section: 'My gigs', status: 404, body: html`<h1>Not found</h1>\n<p>${told}</p>` };
}

/** Answers with a page of an owner. */
export async function answerMine({ c, deps: { site }, session }: OwnerVisit, view: MyView): Promise<Response> {
  return await answerPage(c, site, { ...pageOf(site, session, view), status: view.status ?? 200 });
}
