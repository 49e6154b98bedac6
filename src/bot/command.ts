import type { AccountKey } from '../domain/account.ts';
import type { Grammar } from '../domain/mentions/command.ts';
import type { CommandGuide } from '../domain/mentions/command-guide.ts';
import type { ReplyKind } from '../domain/mentions/mention.ts';
import type { ReplyWorth } from '../domain/mentions/reply-worth.ts';
import type { AccountActor } from '../domain/operators/actor.ts';
import type { CommandTraits, Effect, MentionContext } from '../services/mentions/answer-mentions.ts';
import type { BotContext, CommandNeed } from './context.ts';

export interface CommandContext extends MentionContext {
  readonly deps: BotContext;
  readonly author: AccountKey;
  /** The author as who acts. */
  readonly actor: AccountActor & { readonly requestId: string };
  /** The words of the help, from all commands. */
  readonly help: string;
}

export interface CommandAnswer extends Effect {
  readonly text: string;
  /** `answer` when absent. */
  readonly kind?: ReplyKind;
  /** That of the command when absent. */
  readonly worth?: ReplyWorth;
}

interface Traits extends CommandTraits {
  /** Its part of the help text; absent for a command that the help leaves out. */
  readonly help?: string;
  /** What the page of commands says; absent for what is no command. */
  readonly guide?: readonly CommandGuide[];
  /** Without which the page of commands does not list it; it is answered all the same. */
  readonly guideNeeds?: CommandNeed;
  /** Whether refusals that any account can cause are worth less than replies to owners and to accounts with tips. */
  readonly ranksRefusals?: boolean;
  /**
   * The outcome of its author's notices of the gig that it names: what it has done counts as told (`told`), or nothing
   * (`left`). When absent they move under it, as they do for `told`.
   */
  readonly notices?: 'told' | 'left';
  /** Without which it is no command. */
  readonly needs?: CommandNeed;
  /** The reply when a network does not answer; when absent, that the blockchain could not be read. */
  readonly unreachable?: string;
}

interface CommandSpec<Name extends string, Args extends object> extends Traits, Grammar<Args> {
  readonly name: Name;
  /** @throws DomainError for a broken rule, which becomes the reply */
  prepare(ctx: CommandContext, args: Args): CommandAnswer | Promise<CommandAnswer>;
}

/** A command that was read from a text: `parsed` is its name with its arguments. */
export interface CommandCall<Parsed extends { readonly name: string; readonly gigId?: number }> extends Traits {
  readonly parsed: Parsed;
  prepare(ctx: CommandContext): CommandAnswer | Promise<CommandAnswer>;
}

export interface BotCommand<Args extends object, Parsed extends { readonly name: string }>
  extends Traits,
    Grammar<CommandCall<Parsed>> {
  call(args: Args): CommandCall<Parsed>;
}

/** A command to the bot, all of it in one object. Its form is its name with what its grammar reads. */
export function defineCommand<const Name extends string, Args extends object>(
  spec: CommandSpec<Name, Args>,
): BotCommand<Args, { readonly name: Name } & Args> {
  const { read, readPosted, prepare, ...traits } = spec;
  const call = (args: Args): CommandCall<{ readonly name: Name } & Args> => ({
    ...traits,
    parsed: { name: spec.name, ...args },
    prepare: (ctx) => prepare(ctx, args),
  });
  return {
    ...traits,
    call,
    read: (words) => {
      const args = read?.(words) ?? null;
      return args === null ? null : call(args);
    },
    readPosted: (text, toWords) => {
      const found = readPosted?.(text, toWords) ?? null;
      return found !== null && 'command' in found ? { command: call(found.command) } : found;
    },
  };
}
