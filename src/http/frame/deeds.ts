import { html } from 'hono/html';
import type { OperatorActor, OwnerActor } from '../../domain/operators/actor.ts';
import type { Markup } from '../ui/layout.ts';
import type { Visit } from './audience.ts';

/** A request of an operator or an owner who has a session. */
export interface ActingVisit<Deps> extends Visit<Deps> {
  readonly session: { readonly formToken: string; readonly name: string };
  /** The visitor, with the id of the request. */
  readonly actor: OperatorActor | OwnerActor;
}

/** Logs what an operator or an owner has done, such as `gig started`. */
export function logDeed<Deps>(
  { c, actor, session }: ActingVisit<Deps>,
  deed: string,
  fields: Readonly<Record<string, unknown>>,
): void {
  const { log } = c.get('request');
  log().info({ ...fields, [actor.kind]: session.name }, `${deed} by an ${actor.kind}`);
}

/** Why a form is shown again, above its fields. */
export function renderProblem(problem: string | undefined): Markup | '' {
  return problem === undefined ? '' : html`<p id="problem" class="notice bad" role="alert">${problem}</p>`;
}
