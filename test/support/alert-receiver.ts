import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { listen } from './listen.ts';

/** One request that a receiver got. */
export interface Received<Body> {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  /** As it came. */
  readonly text: string;
  readonly body: Body;
}

/** What a receiver does with a request. */
export type Reaction = (response: ServerResponse) => void;

/** An answer with this status and nothing else. */
export function answerWith(status: number, headers: Record<string, string> = {}): Reaction {
  return (response) => void response.writeHead(status, headers).end();
}

/** A receiver of Standard Webhooks at a path of this machine, which reacts as it is told; `choose` may tell requests apart. */
export async function openReceiver<Body>(path: string, reaction: Reaction) {
  const received: Received<Body>[] = [];
  let choice: (request: Received<Body>) => Reaction = () => reaction;
  let underWay = 0;
  let most = 0;
  const server = createServer(async (request, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    response.once('close', () => {
      underWay -= 1;
    });
    const { headers } = request;
    const text = await readText(request);
    const got = { id: String(headers['webhook-id']), headers, text, body: JSON.parse(text) };
    received.push(got);
    choice(got)(response);
  });
  const { url, close } = await listen(server);
  return {
    url: `${url}${path}`,
    received: received as readonly Received<Body>[],
    /** The most requests that were under way at once. */
    most: () => most,
    react: (other: Reaction) => {
      choice = () => other;
    },
    choose: (other: (request: Received<Body>) => Reaction) => {
      choice = other;
    },
    close,
  };
}

/** A body as receivers of alerts get it. */
interface AlertBody {
  readonly text: string;
  readonly content: string;
  readonly kind: string;
  readonly subject: string;
  readonly state: string;
  readonly at: string;
  readonly service: string;
}

/** A receiver of alerts; its path is a secret. */
export async function openAlertReceiver(reaction: Reaction = answerWith(200)) {
  const receiver = await openReceiver<AlertBody>('/services/fake-webhook-secret', reaction);
  return {
    ...receiver,
    /** Each different delivery once, in the order of their first arrival: state, kind and subject. */
    told: () => {
      const { received } = receiver;
      const lines = received.map(({ id, body }) => [id, `${body.state} ${body.kind} ${body.subject}`] as const);
      return [...new Map(lines).values()];
    },
  };
}

export type TestAlertReceiver = Awaited<ReturnType<typeof openAlertReceiver>>;
