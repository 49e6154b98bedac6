import type { Context } from 'hono';
import { html } from 'hono/html';
import { DomainError } from '../../domain/errors.ts';
import type { LoggedIn } from '../../services/operators/sessions.ts';
import { readBody } from '../middleware/body.ts';
import type { AppEnv } from '../middleware/context.ts';
import type { Markup, Root } from '../ui/layout.ts';
import { renderFormToken } from './frame.ts';

/** The text of a refusal; any other error is rethrown. */
export function refusalOf(error: unknown): string {
  if (error instanceof DomainError && error.refusal.code === 'invalid_request') return error.refusal.message;
  throw error;
}

/** The fields of a form. @throws HttpError when the body is too large or breaks off */
export async function readForm(c: Context<AppEnv>): Promise<URLSearchParams> {
  return new URLSearchParams(new TextDecoder().decode(await readBody(c)));
}

/** Redirects a browser after a form was processed. */
export function seeOther(c: Context<AppEnv>, location: string, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { ...c.get('request').headers, ...headers, location, 'cache-control': 'no-store' },
  });
}

/** A button for one action on one entry; `said` names both for screen readers. */
export function renderAction(
  { root }: Root,
  operator: LoggedIn,
  action: { path: string; label: string; said: string },
): Markup {
  return html`<form method="post" action="${root}/admin${action.path}">${renderFormToken(operator)}<button class="slim" aria-label="${action.said}">${action.label}</button></form>`;
}
