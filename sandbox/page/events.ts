import { withoutReplyMark } from '../../src/domain/platforms/platforms.ts';
import { counted } from '../../src/http/ui/badges.ts';
import type { ApiFault } from '../networks/faults.ts';
import type { NetworkEvent, NetworkPost } from '../networks/network.ts';
import { BOT } from '../people.ts';
import type { ReceiverEvent } from '../receiver.ts';
import type { ServiceEvent } from '../service.ts';
import type { VerifierEvent } from '../verifier.ts';
import type { Told } from './changes.ts';
import { type NetworkName, type Networks, PLATFORM_OF, TITLES } from './names.ts';
import { excerpt } from './words.ts';

/** Whether a post is the bot's own. */
export function isByBot({ author }: NetworkPost): boolean {
  return author.username === BOT.username;
}

/** What a post says; of a reply of the bot's without its network's mark. */
export function saidIn(network: NetworkName, post: NetworkPost): string {
  const { text, replyTo: postId } = post;
  return isByBot(post) && postId !== null ? withoutReplyMark(text, { platform: PLATFORM_OF[network], postId }) : text;
}

/** What a fault does to a call of the service's. */
const FAULT_WORDS: Readonly<Record<Exclude<ApiFault, 'none'>, string>> = {
  drop_answer: 'carries out the request and cuts the connection before it answers',
  rate_limited: 'answers 429, too many requests',
  payment_required: 'answers 402, credits depleted',
  unauthorized: 'answers 401, credentials refused',
  server_error: 'answers 500, internal error',
  html: 'answers 502 with a page of HTML',
  hang: 'never answers',
};

function tellPost(name: NetworkName, post: NetworkPost, networks: Networks): Told {
  const scene = TITLES[name];
  if (!isByBot(post)) return { scene, text: `${post.author.username} posted: “${excerpt(post.text)}”` };
  const answered = networks[name].posts().find(({ id }) => id === post.replyTo);
  const whom = answered === undefined ? '' : ` to ${answered.author.username}`;
  return { scene, text: `The bot replied${whom}: “${excerpt(saidIn(name, post))}”`, announce: true };
}

/** What a network did, in words. */
export function describeNetworkEvent(name: NetworkName, event: NetworkEvent, networks: Networks): Told {
  const scene = TITLES[name];
  switch (event.type) {
    case 'posted':
      return tellPost(name, event.post, networks);
    case 'delivered': {
      const { status, ms } = event;
      if (status === 0) {
        return {
          scene,
          text: 'Sent the signed event; the service did not answer. It is not sent again: the service polls for missed posts.',
        };
      }
      return { scene, text: `Delivered the event, signed; the service answered ${status} in ${ms} ms.` };
    }
    case 'withheld':
      return {
        scene,
        text: 'Withheld the event, as configured. The service polls for missed posts every 20 s.',
      };
    case 'faulted': {
      const call = event.call === 'reply' ? 'A reply arrives' : 'A request arrives';
      const words = event.fault === 'none' ? 'answers' : FAULT_WORDS[event.fault];
      return { scene, text: `${call}, and ${scene} ${words}, as configured.` };
    }
  }
}

/** What waits in the store, in words. */
export function describeWaiting({ mentions, replies }: { mentions: number; replies: number }): string {
  if (mentions + replies === 0) return 'nothing waits';
  const parts = [
    ...(mentions === 0 ? [] : [`${counted(mentions, 'mention')} without an answer`]),
    ...(replies === 0 ? [] : [replies === 1 ? '1 reply not sent' : `${replies} replies not sent`]),
  ];
  return parts.join(' and ');
}

/** What the verifier of bounties was asked and decided, in words. */
export function describeVerifierEvent({ gigId, verdicts }: VerifierEvent): Told {
  return {
    scene: 'Verifier',
    text: `Asked about gig ${gigId}, by a signed request. It decided: ${verdicts.join('; ')}.`,
  };
}

/** What became of the receiver of events, or came to it, in words. */
export function describeReceiverEvent(event: ReceiverEvent): Told {
  const scene = 'Receiver';
  switch (event.type) {
    case 'down':
      return { scene, text: `Takes no connection for ${event.ms / 1_000} s.`, announce: true };
    case 'up':
      return { scene, text: 'Takes connections again.', announce: true };
    case 'arrived': {
      const { seq, type, gigId } = event.arrival;
      const how = event.isRepeat ? 'Got again' : 'Took';
      return { scene, text: `${how} event ${seq}, signed: ${type} of gig ${gigId}.` };
    }
  }
}

/** What became of the service's process, in words. `waiting` is what its database holds at that moment. */
export function describeServiceEvent(event: ServiceEvent, waiting: { mentions: number; replies: number }): Told {
  const scene = 'Service';
  const { others } = event;
  const [who, rest] = others === undefined ? ['The service', ''] : ['An instance', ` Others that run: ${others}.`];
  switch (event.type) {
    case 'ended': {
      const how = event.how === 'SIGKILL' ? 'was killed' : `ended (${event.how})`;
      const text = `${who}, process ${event.pid}, ${how}. On disk: ${describeWaiting(waiting)}.${rest}`;
      return { scene, text, announce: true };
    }
    case 'stopped':
      return { scene, text: `${who}, process ${event.pid}, is being stopped.`, announce: true };
    case 'back':
    case 'started': {
      const seconds = (event.ms / 1_000).toFixed(1);
      const how = event.type === 'back' ? 'restarted with the same database' : 'runs with the older database';
      const text = `${who} ${how} after ${seconds} s, process ${event.pid}.`;
      return { scene, text, announce: true };
    }
    case 'lost':
      return { scene, text: `${who} did not restart: ${event.why}.`, announce: true };
  }
}
