import { PLATFORMS, type PlatformFacts } from '../../../src/domain/platforms/platforms.ts';

const POST = /^https:\/\/pond\.example\/([a-z]{1,20})\/ripple\/([1-9][0-9]{0,9})$/;

/** A network that exists nowhere else: people post ripples. */
export const POND: PlatformFacts = {
  id: 'pond',
  slug: 'pond',
  label: 'Pond',
  post: 'ripple',
  repost: 'echo',
  idNoun: 'a Pond id',
  userIdNoun: 'a Pond id',
  idLabels: ['id', 'Pond id'],
  identifier: null,
  largestId: 2n ** 63n - 1n,
  isId: (text) => /^[1-9][0-9]{0,9}$/.test(text),
  isHandle: (text) => /^[a-z]{1,20}$/.test(text),
  readPost: (url) => {
    const [canonical, , postId] = POST.exec(url) ?? [];
    return canonical === undefined || postId === undefined ? null : { canonical, postId };
  },
  examplePostUrl: 'https://pond.example/frog/ripple/7',
  readProfile: (text) => /^https:\/\/pond\.example\/([a-z]{1,20})$/.exec(text)?.[1] ?? null,
  profileUrl: (name) => `https://pond.example/${name}`,
  composeUrl: 'https://pond.example/new?text=',
  hasVerifiedAddress: true,
  tellsOwners: false,
  repliesMayLink: true,
  replyMark: (postId) => ` (${postId})`,
  earningSwitch: null,
  signatureHeader: 'x-pond-signature',
  challenge: { parameter: 'drop', field: 'splash' },
  sendsNotifications: false,
  mayBeWatched: true,
  webhookMayNamePort: true,
};

// The list of the package is the same for all that read it: this process alone has a third row.
(PLATFORMS as PlatformFacts[]).push(POND);
