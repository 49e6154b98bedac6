import type { SocialPlatform } from '../../domain/mentions/mention.ts';

/** What a step needs of a gig's platform. */
export interface Network {
  readonly acts: SocialPlatform['acts'];
  readonly bot: SocialPlatform['bot'];
}

async function fail(): Promise<never> {
  throw new TypeError('a platform that is asked nothing any more was asked');
}

/** Stands for a platform that is off, or has not answered for long: no step that asks it is taken. */
export const UNASKED: Network = {
  bot: { id: '', username: '' },
  acts: { bulk: 1, readActs: fail, readAccounts: fail, readPosts: fail, readTexts: fail },
};
