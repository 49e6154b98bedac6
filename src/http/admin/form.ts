import { html } from 'hono/html';
import { DomainError } from '../../domain/errors.ts';
import type { LoggedIn } from '../../services/operators/sessions.ts';
import { renderFormToken } from '../ui/form.ts';
import type { Markup, Root } from '../ui/layout.ts';

/** The text of a refusal; any other error is rethrown. */
export function refusalOf(error: unknown): string {
  if (error instanceof DomainError && error.refusal.code === 'invalid_request') return error.refusal.message;
  throw error;
}

/** A button for one action on one entry; `said` names both for screen readers. */
export function renderAction(
  { root }: Root,
  operator: LoggedIn,
  action: { path: string; label: string; said: string },
): Markup {
  return html`<form method="post" action="${root}/admin${action.path}">${renderFormToken(operator)}<button class="slim" aria-label="${action.said}">${action.label}</button></form>`;
}
