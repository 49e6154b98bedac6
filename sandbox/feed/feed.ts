import { type Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Assets } from '../../src/http/ui/assets.ts';
import type { NetworkEnv } from '../networks/faults.ts';
import { post as postAs } from '../page/acts.ts';
import type { Stage } from '../page/stage.ts';
import { NO_STORE, sandboxHeaders } from '../page-policy.ts';
import { PEOPLE, type Person, person } from '../people.ts';
import { StepError } from '../step-error.ts';
import { sendTap } from './client.ts';
import { type Clients, createClients } from './clients.ts';
import { renderFeedPage, renderFeedParts } from './views.ts';

const LOOK_EVERY_MS = 1_000;

type Fields = Readonly<Record<string, string | undefined>>;
/** What a form did, and the id of the element that shows it. */
type Done = { readonly ok: boolean; readonly message: string; readonly show: string };
type Form = (who: Person, fields: Fields) => Promise<Done> | Done;

/** What people do with the forms of the feed, by the ends of their paths. */
function createForms(stage: Stage, clients: Clients): ReadonlyMap<string, Form> {
  const { places, time, story } = stage;
  const { farcaster } = stage.networks;
  const service = new URL(places.service).origin;

  const tap: Form = async (who, { cast: id = '', url = '', button = '' }) => {
    const { cast, shown } = await clients.find(who, id, url);
    const element = shown.card?.ui.elements.get(button);
    const { action, params } = element?.on.press ?? {};
    const { target, text, embeds } = params ?? {};
    if (action === 'compose_cast') {
      const urls = Array.isArray(embeds) ? embeds.filter((each) => typeof each === 'string') : [];
      const made = farcaster.post({ author: who.name, text: typeof text === 'string' ? text : '', embeds: urls });
      return { ok: true, message: `Cast as ${who.name}.`, show: `cast-${made.id}` };
    }
    if (action !== 'submit' || typeof target !== 'string') throw new StepError('The card has changed. Tap again.');
    if (URL.parse(target)?.origin !== service) throw new StepError(`The button leads to another place: ${target}`);
    const label = `“${element?.props['label']}”`;
    const answer = await sendTap({ who, cast, target, at: time.now() });
    clients.replace(who, cast, shown, answer);
    const problem = 'problem' in answer ? answer.problem : null;
    const outcome = problem ?? 'The card was answered.';
    story.tell({ scene: 'Farcaster', text: `${who.name} tapped ${label} on the card of ${url}. ${outcome}` });
    return { ok: problem === null, message: problem ?? `Tapped ${label} as ${who.name}.`, show: shown.key };
  };

  const first: Form = async (who, { cast: id = '', url = '' }) => {
    const { cast, shown } = await clients.find(who, id, url);
    clients.replace(who, cast, shown, null);
    return { ok: true, message: 'The card is shown as at first.', show: shown.key };
  };

  const say: Form = ({ name }, { text = '' }) => {
    const { postId } = postAs(stage, 'farcaster', name, text);
    return { ok: true, message: `Cast as ${name}.`, show: `cast-${postId}` };
  };
  return new Map(Object.entries({ tap, first, say }));
}

async function runForm(form: Form | undefined, who: Person, fields: Fields): Promise<Done> {
  try {
    if (form === undefined) throw new StepError('There is no such form.');
    return await form(who, fields);
  } catch (error) {
    if (!(error instanceof StepError || error instanceof RangeError)) throw error;
    return { ok: false, message: error.message, show: 'casts' };
  }
}

/** The page on which people see casts with their cards and tap them: routes below `/feed`. */
export function createFeed(stage: Stage, assets: Assets): Hono<NetworkEnv> {
  let change = Promise.withResolvers<void>();
  const wake = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const clients = createClients(stage);
  const forms = createForms(stage, clients);
  const headers = sandboxHeaders(stage.places.service);
  const viewer = (c: Context) => PEOPLE.find(({ name }) => name === c.req.query('as')) ?? person('alice');
  const feed = new Hono<NetworkEnv>();

  feed.get('/', async (c) => {
    const parts = await renderFeedParts(await clients.view(viewer(c)));
    return c.body(await renderFeedPage(parts, { who: viewer(c), assets, service: stage.places.service }), 200, headers);
  });

  feed.get('/events', (c) =>
    streamSSE(c, async (stream) => {
      let sent: Readonly<Record<string, string>> = {};
      while (!stream.aborted) {
        const { promise } = change;
        const parts = await renderFeedParts(await clients.view(viewer(c)));
        const news = Object.entries(parts).filter(([id, markup]) => sent[id] !== markup);
        const data = JSON.stringify(Object.fromEntries(news));
        if (news.length > 0) await stream.writeSSE({ event: 'fragments', data });
        sent = parts;
        const timer = setTimeout(wake, LOOK_EVERY_MS).unref();
        await promise;
        clearTimeout(timer);
      }
    }),
  );

  feed.post('/:form', async (c) => {
    const fields: Fields = Object.fromEntries(new URLSearchParams(await c.req.text()));
    const who = PEOPLE.find(({ name }) => name === fields['as']) ?? person('alice');
    const outcome = await runForm(forms.get(c.req.param('form')), who, fields);
    wake();
    if (c.req.header('accept') === 'application/json') return c.json(outcome, 200, NO_STORE);
    return c.redirect(`/feed?as=${who.name}#${outcome.show}`, 303);
  });
  return feed;
}
