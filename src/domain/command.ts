import { claimedAddresses } from './claim.ts';
import { foldSpaces, handlePattern, INVISIBLE, isTyped, MAX_COMMAND_LENGTH, skeleton } from './command-text.ts';
import { asksToLeave } from './leave-words.ts';
import { readSubmissionHead } from './submission-head.ts';

/** A command to the bot. */
export type Command =
  | { readonly name: 'claims' }
  | { readonly name: 'start'; readonly gigId: number }
  | { readonly name: 'status'; readonly gigId: number }
  /** Ends a gig: now, for good after its end, or without a start. */
  | { readonly name: 'end'; readonly ending: 'stop' | 'settle' | 'cancel'; readonly gigId: number }
  /** Asks for notices of a gig, under this author's commands about it. */
  | { readonly name: 'notify'; readonly gigId: number }
  | { readonly name: 'unnotify'; readonly gigId: number }
  /** What the author earns from a gig, and why not. */
  | { readonly name: 'why'; readonly gigId: number }
  /** A submission to a bounty; what follows is for those who decide, and never a command. */
  | { readonly name: 'submit'; readonly gigId: number }
  /** `address` is the rest as typed; the claim checks it. */
  | { readonly name: 'claim'; readonly address: string | null }
  | { readonly name: 'help' }
  | { readonly name: 'stop' }
  | { readonly name: 'unstop' }
  /** A command but for invisible or look-alike characters. Never carried out. */
  | { readonly name: 'refused'; readonly reason: 'invisible' | 'look_alike' }
  | { readonly name: 'unknown' };

const CLAIMS: Command = { name: 'claims' };

const WORDS = {
  claims: { name: 'claims' },
  check: { name: 'claims' },
  tips: { name: 'claims' },
  balance: { name: 'claims' },
  'my tips': { name: 'claims' },
  'what can i claim': { name: 'claims' },
  help: { name: 'help' },
  stop: { name: 'stop' },
  unstop: { name: 'unstop' },
} as const satisfies Record<string, Command>;

/** Commands of a gig's owners; `stop` alone turns replies off. */
const OF_OWNER = /^(start|stop|settle|cancel|notify|unnotify) (?:gig )?#?([1-9][0-9]{0,14})$/;
const STATUS = /^(?:gig|status|status gig) #?([1-9][0-9]{0,14})$/;

const WHY = /^why (?:gig )?#?([1-9][0-9]{0,14})$/;

const UNKNOWN: Command = { name: 'unknown' };

/** The words of a text without the bot's handle, separated by single spaces. */
function words(text: string, bot: { username: string }): string {
  return foldSpaces(text.replace(handlePattern(bot.username), ' '));
}

function matchOfOwner(command: string): Command | null {
  const [, name, id] = OF_OWNER.exec(command) ?? [];
  const gigId = Number(id);
  switch (name) {
    case 'start':
    case 'notify':
    case 'unnotify':
      return { name, gigId };
    case 'stop':
    case 'settle':
    case 'cancel':
      return { name: 'end', ending: name, gigId };
    default:
      return null;
  }
}

/** The command in words that are that and nothing else. */
function matchStrictly(text: string): Command {
  const command = text.toLowerCase();
  const word = Object.hasOwn(WORDS, command) ? WORDS[command as keyof typeof WORDS] : undefined;
  if (word !== undefined) return word;
  const ofOwner = matchOfOwner(command);
  if (ofOwner !== null) return ofOwner;
  const status = STATUS.exec(command)?.[1];
  if (status !== undefined) return { name: 'status', gigId: Number(status) };
  const why = WHY.exec(command)?.[1];
  if (why !== undefined) return { name: 'why', gigId: Number(why) };
  // Case is kept, because it carries the address's checksum.
  const named = claimedAddresses(text);
  return named === null ? UNKNOWN : { name: 'claim', address: named.join(' ') || null };
}

/** Commands that move money, or end a gig: nothing may stand beside their words. */
const STRICT: ReadonlySet<Command['name']> = new Set(['start', 'end', 'claim']);

const OTHER_HANDLES = /^(?:@[a-z0-9_][a-z0-9_.-]{0,63} )+(?=[^@])/i;
const AFTER_HANDLE = /^[,:] ?/;
const LINKS = /(?:^| )https?:\/\/\S+$/i;
const END_MARK = / ?[.!?]$/;

/** The words without what people put beside a command: other handles, a comma or colon after a handle, links, an end mark. */
function withoutManners(text: string): string {
  let said = text.replace(OTHER_HANDLES, '').replace(AFTER_HANDLE, '').replace(OTHER_HANDLES, '');
  while (LINKS.test(said)) said = said.replace(LINKS, '');
  return said.replace(END_MARK, '');
}

/** @param isNamed whether the bot's handle was in the text; the handle alone is a command */
function match(text: string, isNamed: boolean): Command {
  const strict = matchStrictly(text);
  if (strict !== UNKNOWN) return strict;
  const said = withoutManners(text);
  if (said === '') return isNamed ? CLAIMS : UNKNOWN;
  const polite = matchStrictly(said);
  return STRICT.has(polite.name) ? UNKNOWN : polite;
}

function matchSubmission(text: string, bot: { username: string }): Command | null {
  const head = readSubmissionHead(text, (part) => words(part, bot));
  if (head === null) return null;
  return 'gigId' in head ? { name: 'submit', gigId: head.gigId } : { name: 'refused', reason: head.refused };
}

/**
 * Reads a mention's own text: NFKC-normalised, without the bot's handle, white space folded, case ignored; never
 * throws. Any other text, or one of more than 500 UTF-16 units, is `unknown`; `refused` if only odd characters hide a
 * command. Words that ask to be left alone need no grammar.
 */
export function parseCommand(text: string, bot: { username: string }): Command {
  const submission = matchSubmission(text, bot);
  if (submission !== null) return submission;
  if (text.length > MAX_COMMAND_LENGTH) return UNKNOWN;
  if (asksToLeave(text)) return { name: 'stop' };
  const normal = text.normalize('NFKC');
  const isNamed = handlePattern(bot.username).test(foldSpaces(normal).replace(INVISIBLE, ''));
  const read = (form: string) => match(words(form, bot), isNamed);
  const clean = words(normal, bot);
  const command = match(clean, isNamed);
  if (command !== UNKNOWN) {
    // NFKC also turns `4²` into `42` and fancy letters into plain ones, which the author may not have meant.
    return isTyped(words(text, bot)) ? command : { name: 'refused', reason: 'look_alike' };
  }
  const visible = words(clean.replace(INVISIBLE, ''), bot);
  if (visible !== clean && (read(visible) !== UNKNOWN || read(clean.replace(INVISIBLE, ' ')) !== UNKNOWN)) {
    return { name: 'refused', reason: 'invisible' };
  }
  const seen = words(skeleton(visible), bot);
  return seen !== clean && read(seen) !== UNKNOWN ? { name: 'refused', reason: 'look_alike' } : UNKNOWN;
}
