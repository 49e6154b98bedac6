import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { answerWith, type Reaction } from './alert-receiver.ts';
import { listen } from './listen.ts';

/** One request that a receiver got. */
export interface ReceivedEvent {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  /** As it came. */
  readonly text: string;
  readonly body: {
    readonly id: string;
    readonly type: string;
    readonly timestamp: string;
    readonly seq: number;
    readonly data: Readonly<Record<string, unknown>> & { readonly gig_id: number };
  };
}

/** A receiver of events on this machine, which reacts as it is told; `choose` may tell requests apart. */
export async function openEventReceiver(reaction: Reaction = answerWith(204)) {
  const received: ReceivedEvent[] = [];
  let react: (event: ReceivedEvent, response: ServerResponse) => void = (_event, response) => reaction(response);
  let underWay = 0;
  let most = 0;
  const server = createServer(async (request, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    response.once('close', () => {
      underWay -= 1;
    });
    const text = await readText(request);
    const event = { id: String(request.headers['webhook-id']), headers: request.headers, text, body: JSON.parse(text) };
    received.push(event);
    react(event, response);
  });
  const { url, close } = await listen(server);
  return {
    url: `${url}/events`,
    received: received as readonly ReceivedEvent[],
    /** The most requests that were under way at once. */
    most: () => most,
    react: (other: Reaction) => {
      react = (_event, response) => other(response);
    },
    choose: (other: (event: ReceivedEvent) => Reaction) => {
      react = (event, response) => other(event)(response);
    },
    /** The places of the events in the order of their arrival. */
    seqs: () => received.map(({ body }) => body.seq),
    close,
  };
}

export type TestEventReceiver = Awaited<ReturnType<typeof openEventReceiver>>;
