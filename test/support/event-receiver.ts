import { answerWith, openReceiver, type Reaction } from './alert-receiver.ts';

interface EventBody {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly seq: number;
  readonly data: Readonly<Record<string, unknown>> & { readonly gig_id: number };
}

/** A receiver of events. */
export async function openEventReceiver(reaction: Reaction = answerWith(204)) {
  const receiver = await openReceiver<EventBody>('/events', reaction);
  /** The places of the events in the order of their arrival. */
  return { ...receiver, seqs: () => receiver.received.map(({ body }) => body.seq) };
}

export type TestEventReceiver = Awaited<ReturnType<typeof openEventReceiver>>;
