import { wordList } from '../earning/words/sentence.ts';
import type { OwnerCreators } from './owner-gigs.ts';
import type { SignInWay } from './sign-in.ts';

const CREATORS: Readonly<Record<OwnerCreators, string>> = {
  nobody: 'nobody creates gigs until you set OWNER_CREATE to listed or anybody',
  listed: 'listed owners create gigs',
  anybody: 'anybody creates gigs',
};

/** The settings of the console. */
export interface ConsoleSettings {
  readonly signIn: readonly SignInWay[];
  readonly ownerCreate: OwnerCreators;
}

/** How people enter the console, and who creates gigs in it, for the operator; null while it is off. */
export function consoleWords({ signIn, ownerCreate }: ConsoleSettings): string | null {
  return signIn.length === 0 ? null : `sign-in with ${wordList(signIn)}; ${CREATORS[ownerCreate]}`;
}
