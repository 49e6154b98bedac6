import { setTimeout as wait } from 'node:timers/promises';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { minuteText } from '../../src/domain/time.ts';
import { createAssets } from '../../src/http/ui/assets.ts';
import { ActError, describeAct, findWatchedTarget, planAct, readAsked } from '../acting.ts';
import { ASSETS } from '../assets.ts';
import { describeSpan, parseSpan } from '../clock.ts';
import { createFeed } from '../feed/feed.ts';
import { showPost } from '../networks/door.ts';
import { faultsBody, type NetworkEnv } from '../networks/faults.ts';
import { localOnly } from '../networks/local-only.ts';
import { createNetworkServer } from '../networks/server.ts';
import { signInAs, WAYS } from '../owners/sign-in.ts';
import { NO_STORE, sandboxHeaders } from '../page-policy.ts';
import { PEOPLE } from '../people.ts';
import { StepError } from '../step-error.ts';
import { readTargets } from '../watched-gigs.ts';
import { FUNDINGS, fitGig, fundGig, killService, post, startGig, tellAnswer } from './acts.ts';
import { NETWORKS, type NetworkName, type Parts, TITLES } from './parts.ts';
import { createPlayer } from './player.ts';
import { SCENES } from './scenes.ts';
import { createStage, readWorld, type Stage } from './stage.ts';
import { type Fragments, renderDocument, renderFragments } from './views/document.ts';
import { API_LABELS, WEBHOOK_LABELS } from './words.ts';

type Fields = Readonly<Record<string, string | undefined>>;

type Done = string | { readonly message: string; readonly show?: string; readonly later?: string };

/** A form of the page, with the id of the element where it shows what came of it. Parts of its path are fields. */
interface Form {
  readonly path: string;
  readonly show: string;
  /** @throws StepError, ActError or RangeError when it is refused, in words */
  readonly run: (stage: Stage, fields: Fields) => Done | Promise<Done>;
}

/** What users say by a button, each in words of its own: a text that another account has used earns nothing. */
const TEXTS: Fields = {
  quote: 'thinks that everybody should see this',
  reply: 'has read it and likes what it says',
  mention: 'wants to tell everybody about it',
};

/** Lets a user do something about a watched gig, in the words of `npm run act`. @throws ActError, RangeError */
async function actOnGig(stage: Stage, { id = '', who = '', verb = '' }: Fields): Promise<string> {
  const { farcaster } = stage.networks;
  const text = TEXTS[verb] === undefined ? [] : [`${who} ${TEXTS[verb]}`];
  const asked = readAsked(['farcaster', who, verb, ...text, 'gig', id]);
  const gig = findWatchedTarget(await readTargets(stage.database), asked.gigId);
  const world = { casts: farcaster.posts().map(showPost), users: farcaster.users() };
  const { path, body } = planAct(asked, gig.target, world);
  const change = path === '/posts' ? { post: farcaster.post(body) } : farcaster.act(body);
  const url = change !== null && 'post' in change ? change.post.url : null;
  const message = describeAct(asked, gig, { changed: change !== null, url });
  stage.story.tell({ scene: 'Farcaster', text: message });
  return message;
}

function networkNamed(text: string | undefined): NetworkName {
  const name = NETWORKS.find((one) => one === text);
  if (name === undefined) throw new StepError('There is no such network.');
  return name;
}

function setFaults({ networks, story }: Stage, { network: named, api = 'none', webhook, once }: Fields): string {
  const network = networkNamed(named);
  const remaining = once === 'on' && api !== 'none' ? 1 : null;
  const body = faultsBody.safeParse({ api, webhook, route: 'reply', remaining });
  if (!body.success) throw new StepError('There is no such fault.');
  const faults = Object.assign(networks[network].faults, body.data);
  const times = remaining === null ? '' : ', for the next reply only';
  const words = `its API is set to ${API_LABELS[faults.api]}${times}; events come: ${WEBHOOK_LABELS[faults.webhook]}.`;
  story.tell({ scene: 'You', text: `set the faults of ${TITLES[network]}: ${words}` });
  return `Faults of ${TITLES[network]} set.`;
}

async function moveTime({ time, story }: Stage, { by = '' }: Fields): Promise<string> {
  const ms = parseSpan(by);
  if (ms === null) {
    const right = 'by minutes, hours or days, at most a year, as 90m, 13h or 2d';
    throw new StepError(`Move the time on ${right}; not ${JSON.stringify(by)}.`);
  }
  await time.moveOn(ms);
  const now = minuteText(time.now());
  story.tell({ scene: 'You', text: `moved the time on by ${describeSpan(ms)}, to ${now}.`, announce: true });
  return `It is ${describeSpan(ms)} later: ${now}.`;
}

const FORMS: readonly Form[] = [
  {
    path: '/posts/:network',
    show: 'composer-:network',
    run: (stage, { network: named, author = '', text = '', suggestion = text }) => {
      const network = networkNamed(named);
      const place = post(stage, network, author, suggestion);
      return { message: `Posted as ${author} on ${TITLES[network]}.`, show: `post-${network}-${place.postId}` };
    },
  },
  {
    path: '/gigs/:id/fund',
    show: 'gig-:id',
    run: (stage, { id, funding }) => {
      const known = FUNDINGS.find((one) => one === funding);
      if (known === undefined) throw new StepError('There is no such funding.');
      return fundGig(stage, Number(id), known);
    },
  },
  { path: '/gigs/:id/fit', show: 'gig-:id', run: (stage, { id }) => fitGig(stage, Number(id)) },
  { path: '/gigs/:id/start', show: 'gig-:id', run: (stage, { id }) => startGig(stage, Number(id)) },
  { path: '/gigs/:id/act', show: 'gig-:id', run: actOnGig },
  {
    path: '/claims',
    show: 'claim',
    run: async (stage, { url = '' }) => {
      const answer = await stage.api('POST', '/api/claim', { url });
      stage.claims.push(answer);
      return tellAnswer(stage, 'sent a post’s URL to POST /api/claim', answer);
    },
  },
  { path: '/faults/:network', show: 'faults-:network', run: setFaults },
  { path: '/kill', show: 'service', run: killService },
  { path: '/time', show: 'service', run: moveTime },
];

/**
 * The sandbox goes through the service's own sign-in as a browser of that person, and hands the session's cookie to the
 * visitor's browser. Browsers keep cookies by host, not by port, so the visitor is signed in at the service.
 */
async function signInVisitor({ places, story }: Stage, { name, way: named, userAgent = '', host = '' }: Fields) {
  const [who, way] = [PEOPLE.find((one) => one.name === name), WAYS.find((one) => one === named)];
  if (who === undefined || way === undefined) return { location: '/#people' };
  try {
    const cookie = (await signInAs(who, way, { places, userAgent })).cookies.get('gigclaim_my');
    if (cookie === undefined) throw new StepError('The service opened no session.');
    story.tell({ scene: 'You', text: `signed in as ${name} with ${way === 'wallet' ? 'the wallet' : 'Farcaster'}.` });
    const home = new URL('/my', places.service);
    home.hostname = new URL(`http://${host}`).hostname;
    return { location: home.href, 'set-cookie': cookie };
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    story.tell({ scene: 'You', text: `could not sign in as ${name}: ${error.message}`, announce: true });
    return { location: `/#person-${name}` };
  }
}

/** Changes that come at once are rendered at once. */
const TOGETHER_MS = 30;
/** How long a first look may take; what has not answered by then is on the page a moment later. */
const FIRST_LOOK_MS = 1_500;

async function runForm({ show, run }: Form, stage: Stage, fields: Fields) {
  const place = show.replace(/:(\w+)/, (_, name: string) => fields[name] ?? '');
  try {
    const done = await run(stage, fields);
    return { ok: true, show: place, ...(typeof done === 'string' ? { message: done } : done) };
  } catch (error) {
    if (!(error instanceof StepError || error instanceof ActError || error instanceof RangeError)) throw error;
    return { ok: false, show: place, message: error.message };
  }
}

/** The page of a sandbox whose parts are there and whose service is up. It stands while the service is down. */
export async function createSandboxPage(parts: Parts) {
  let change = Promise.withResolvers<void>();
  let isSoon = false;
  const wake = () => {
    isSoon = false;
    change.resolve();
    change = Promise.withResolvers();
  };
  const changed = () => {
    if (!isSoon) setTimeout(wake, TOGETHER_MS).unref();
    isSoon = true;
  };
  const stage = await createStage(parts, changed);
  const player = createPlayer(SCENES, stage, changed);
  const { watcher, closeReader, places } = stage;
  const render = () => {
    const world = readWorld(stage);
    return renderFragments(world, stage, player.view(world));
  };
  const assets = createAssets({ folders: ASSETS });
  const headers = sandboxHeaders(places.service);
  const app = new Hono<NetworkEnv>();
  app.use(localOnly({ scripts: false }));
  app.route('/feed', createFeed(stage, assets));

  app.get('/assets/:name', (c) => {
    const asset = assets.read(c.req.param('name'));
    return asset === null ? c.text('Not found', 404) : c.body(asset.body, 200, asset.headers);
  });

  app.get('/', async (c) => {
    await Promise.race([watcher.look(), wait(FIRST_LOOK_MS, undefined, { ref: false })]);
    return c.body(await renderDocument(await render(), { assets, stage }), 200, headers);
  });

  app.get('/events', (c) =>
    streamSSE(c, async (stream) => {
      stream.onAbort(watcher.watch());
      let sent: Fragments = new Map();
      while (!stream.aborted) {
        const { promise } = change;
        const fragments = await render();
        const news = [...fragments].filter(([id, markup]) => sent.get(id) !== markup);
        await stream.writeSSE({ event: 'fragments', data: JSON.stringify(Object.fromEntries(news)) });
        sent = fragments;
        await promise;
      }
    }),
  );

  app.post('/sign-in/:way/:name', async (c) => {
    const { host, 'user-agent': userAgent } = c.req.header();
    return c.body(null, 303, { ...NO_STORE, ...(await signInVisitor(stage, { ...c.req.param(), userAgent, host })) });
  });

  const scenes: Form = { path: '/steps/:name', show: 'step-:name', run: (_, { name }) => player.run(name) };
  for (const form of [...FORMS, scenes]) {
    app.post(form.path, async (c) => {
      const fields = new URLSearchParams(await c.req.text());
      const outcome = await runForm(form, stage, { ...Object.fromEntries(fields), ...c.req.param() });
      if (c.req.header('accept') === 'application/json') return c.json(outcome, 200, NO_STORE);
      return c.redirect(`/#${outcome.show}`, 303);
    });
  }

  const server = createNetworkServer(app);
  return {
    start: (port: number): Promise<string> => server.start(port),
    stop: async (): Promise<void> => {
      await watcher.stop();
      wake();
      await server.stop();
      await closeReader();
    },
  };
}
