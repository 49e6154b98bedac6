import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { createAssets } from '../../src/http/ui/assets.ts';
import { pageHeaders } from '../../src/http/ui/content-policy.ts';
import type { NetworkEnv } from '../networks/faults.ts';
import { localOnly } from '../networks/local-only.ts';
import { type Actions, FUNDINGS, type Outcome } from './actions.ts';
import type { Fragments, Setting } from './fragments.ts';
import { parseNetwork } from './names.ts';
import { STEPS } from './presses.ts';
import type { Publisher } from './publisher.ts';
import type { SignInAnswer, SignInRequest } from './sign-in-press.ts';
import type { Steps } from './steps.ts';
import { renderDocument } from './views/document.ts';

const FOLDERS = [
  fileURLToPath(new URL('./assets', import.meta.url)),
  fileURLToPath(new URL('../../src/http/pages/assets', import.meta.url)),
];
/** How long a stream may be quiet before a word shows that it still stands. */
const QUIET_MS = 15_000;
const NO_STORE = { 'cache-control': 'no-store' } as const;

type Fields = Readonly<Record<string, string>>;

/** The policy of a page whose forms may also lead to the service: browsers hold the redirect after a form against it. */
function policyWithForms(service: string): string {
  const { port } = new URL(service);
  const forms = `form-action 'self' http://127.0.0.1:${port} http://localhost:${port}`;
  return (pageHeaders()['content-security-policy'] ?? '').replace("form-action 'self'", forms);
}

/** The routes of the page. `watch` is called when a viewer arrives, and its result when the viewer leaves. */
export function createPageRoutes(options: {
  setting: Setting;
  actions: Actions;
  moveTime: (by: string) => Promise<Outcome>;
  act: (gigId: number, fields: { who: string; verb: string }) => Promise<Outcome>;
  signIn: (request: SignInRequest) => Promise<SignInAnswer>;
  steps: Steps;
  publisher: Publisher;
  watch: () => () => void;
}): Hono<NetworkEnv> {
  const { setting, actions, moveTime, act: press, signIn, steps, publisher, watch } = options;
  const assets = createAssets({ folders: FOLDERS });
  const policy = policyWithForms(setting.service);
  const app = new Hono<NetworkEnv>();
  app.use(localOnly({ scripts: false }));

  app.get('/assets/:name', (c) => {
    const asset = assets.read(c.req.param('name'));
    // One script imports another without the mark of its content, and the next sandbox may be a newer one.
    if (asset === null) return c.text('Not found', 404);
    return c.body(asset.body, 200, { ...asset.headers, 'cache-control': 'no-cache' });
  });

  app.get('/', async (c) => {
    const fragments = await publisher.fresh();
    const document = await renderDocument({ assets, setting, fragments });
    return c.body(document, 200, { ...pageHeaders(), 'content-security-policy': policy, ...NO_STORE });
  });

  app.get('/events', (c) =>
    streamSSE(c, async (stream) => {
      const leave = watch();
      const gone = new AbortController();
      stream.onAbort(() => gone.abort());
      let sent: Fragments = new Map();
      try {
        while (!gone.signal.aborted && !publisher.closed()) {
          const fragments = await publisher.current();
          const news = [...fragments].filter(([id, markup]) => sent.get(id) !== markup);
          // Also when there is no news: a stream that stands and a dead one look alike otherwise.
          await stream.writeSSE({ event: 'fragments', data: JSON.stringify(Object.fromEntries(news)) });
          sent = fragments;
          await publisher.next({ than: fragments, ms: QUIET_MS, signal: gone.signal });
        }
      } finally {
        leave();
      }
    }),
  );

  /** With the page's script the outcome as JSON; without, back to the page where it shows. */
  function act(path: string, run: (fields: Fields, params: Fields) => Outcome | Promise<Outcome>): void {
    app.post(path, async (c) => {
      const form = await c.req.parseBody();
      const fields = Object.fromEntries(
        Object.entries(form).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      );
      const { ok, message, show, later } = await run(fields, c.req.param() as Fields); // each is a part of the path
      if (c.req.header('accept') === 'application/json') return c.json({ ok, message, show, later }, 200, NO_STORE);
      return c.redirect(`/#${show}`, 303);
    });
  }

  const nothing = (message: string): Outcome => ({ ok: false, message, show: 'main' });

  act('/posts/:network', ({ author = '', text = '', suggestion }, { network = '' }) => {
    const name = parseNetwork(network);
    return name === null
      ? nothing('There is no such network.')
      : actions.post(name, { author, text: suggestion ?? text });
  });
  act('/gigs/:id/fund', ({ funding }, { id }) => {
    const known = FUNDINGS.find((one) => one === funding);
    return known === undefined ? nothing('There is no such funding.') : actions.fund(Number(id), known);
  });
  act('/gigs/:id/fit', (_, { id }) => actions.fit(Number(id)));
  act('/gigs/:id/start', (_, { id }) => actions.start(Number(id)));
  act('/gigs/:id/act', ({ who = '', verb = '' }, { id }) => press(Number(id), { who, verb }));
  act('/claims', ({ url = '' }) => actions.claim(url));
  act('/faults/:network', (fields, { network = '' }) => {
    const name = parseNetwork(network);
    return name === null ? nothing('There is no such network.') : actions.setFaults(name, fields);
  });
  app.post('/sign-in/:way/:name', async (c) => {
    const { way, name } = c.req.param();
    const [userAgent, host] = [c.req.header('user-agent') ?? '', c.req.header('host') ?? ''];
    const { location, cookie } = await signIn({ way, name, userAgent, host });
    return c.body(null, 303, { ...NO_STORE, location, ...(cookie === null ? {} : { 'set-cookie': cookie }) });
  });
  act('/kill', () => actions.kill());
  act('/time', ({ by = '' }) => moveTime(by));
  act('/steps/:name', (_, { name }) => {
    const known = STEPS.find((step) => step === name);
    return known === undefined ? nothing('There is no such step.') : steps.run(known);
  });
  return app;
}
