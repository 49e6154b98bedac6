import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { listen } from './listen.ts';

/** A body as receivers get it. */
export interface AlertBody {
  readonly text: string;
  readonly content: string;
  readonly kind: string;
  readonly subject: string;
  readonly state: string;
  readonly at: string;
  readonly service: string;
}

/** One request that a receiver got. */
export interface ReceivedAlert {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  /** As it came. */
  readonly text: string;
  readonly body: AlertBody;
}

/** What a receiver does with a request. */
export type Reaction = (response: ServerResponse) => void;

/** An answer with this status and nothing else. */
export function answerWith(status: number, headers: Record<string, string> = {}): Reaction {
  return (response) => void response.writeHead(status, headers).end();
}

/** A receiver of alerts on this machine, which reacts as it is told. */
export async function openAlertReceiver(reaction: Reaction = answerWith(200)) {
  const received: ReceivedAlert[] = [];
  let react = reaction;
  const server = createServer(async (request, response) => {
    const text = await readText(request);
    received.push({
      id: String(request.headers['webhook-id']),
      headers: request.headers,
      text,
      body: JSON.parse(text),
    });
    react(response);
  });
  const { url, close } = await listen(server);
  return {
    /** Its path is a secret. */
    url: `${url}/services/fake-webhook-secret`,
    received: received as readonly ReceivedAlert[],
    react: (other: Reaction) => {
      react = other;
    },
    /** Each different delivery once, in the order of their first arrival: state, kind and subject. */
    told: () => [
      ...new Map(received.map(({ id, body }) => [id, `${body.state} ${body.kind} ${body.subject}`])).values(),
    ],
    close,
  };
}

export type TestAlertReceiver = Awaited<ReturnType<typeof openAlertReceiver>>;
