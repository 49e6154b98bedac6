import type { NounSql } from './engine.ts';
import type { Subjects } from './subjects.ts';

type Run = (...args: never[]) => Promise<unknown>;
type Runs = Readonly<Record<string, Run>>;

const LOCKS = Symbol('locks');
const IS_UNAWAITED = Symbol('is unawaited');
const IS_ALONE = Symbol('is alone');
const STANDS_FOR = Symbol('stands for');

/** The mark is optional, so that any function of the type can stand in for it. */
type Locked<R extends Run> = R & { readonly [LOCKS]?: (...args: Parameters<R>) => Subjects };

type AllLocked<Methods> = {
  readonly [Name in keyof Methods]: typeof LOCKS extends keyof Methods[Name] ? unknown : 'not locked';
};

/**
 * Gives a method its locks: what its transaction decides on. They are taken before its first statement, until the transaction
 * ends, where transactions run at the same time. A read by which a transaction decides locks as well: a lock that is taken after
 * it would be too late. Outside a transaction nothing is locked.
 * @throws TypeError when the function has locks already: those of another method would take their place
 */
export function locked<R extends Run>(locks: (...args: Parameters<NoInfer<R>>) => Subjects, run: R): Locked<R> {
  if (LOCKS in run) throw new TypeError('one function cannot be two methods of the store');
  return Object.assign(run, { [LOCKS]: locks });
}

/** The method that a {@link standIn} stands for; any other method itself. */
function meant(method: object): object {
  const { [STANDS_FOR]: other } = method as { readonly [STANDS_FOR]?: () => object };
  return other?.() ?? method;
}

/** What a call of a method locks. @throws TypeError when the method does not say it */
export function subjectsOf(method: object, args: readonly unknown[]): Subjects {
  // TypeScript does not track which arguments belong to which method.
  const { [LOCKS]: locks } = meant(method) as { readonly [LOCKS]?: (...args: readonly unknown[]) => Subjects };
  if (locks === undefined) throw new TypeError('a method of a transaction does not say what it locks');
  return locks(...args);
}

/**
 * Marks a change whose caller needs no answer, and that begins all its statements before it first waits. A server is sent it
 * without waiting for the answer; when it fails, the commit does.
 * @param when the arguments with which it is such a change; all when absent
 */
export function unawaited<Method extends Run>(
  method: Method,
  when: (...args: Parameters<NoInfer<Method>>) => boolean = () => true,
): Method {
  return Object.assign(method, { [IS_UNAWAITED]: when });
}

/** Whether nobody needs to wait for the answer to this call. */
export function isUnawaited(method: object, args: readonly unknown[]): boolean {
  // TypeScript does not track which arguments belong to which method.
  const { [IS_UNAWAITED]: when } = meant(method) as {
    readonly [IS_UNAWAITED]?: (...args: readonly unknown[]) => boolean;
  };
  return when?.(...args) ?? false;
}

/** Marks a read that runs one statement alone: outside a transaction it needs no snapshot of its own. */
export function alone<Method extends Run>(method: Method): Method {
  return Object.assign(method, { [IS_ALONE]: true });
}

/** Whether a read runs one statement alone. */
export function isAlone(method: object): boolean {
  const { [IS_ALONE]: is } = meant(method) as { readonly [IS_ALONE]?: boolean };
  return is ?? false;
}

/** A function that calls a method, with its locks and marks; the method is asked for when one of these is needed. */
export function standIn(method: () => Run): Run {
  const run: Run = (...args) => method()(...args);
  return Object.assign(run, { [STANDS_FOR]: method });
}

/** Methods that an engine has of its own. One that is not {@link locked} does not compile. */
export function allLocked<Methods extends Runs>(methods: Methods & AllLocked<Methods>): Methods {
  return methods;
}

/**
 * The methods of a noun: each has its doc comment, its types and its locks here and nowhere else. Statements are prepared when the
 * noun is made, not when a method is called, so that tests see the plans of all. A method that is not {@link locked} does not
 * compile.
 */
export function noun<Reads extends Runs, Writes extends Runs>(
  make: (db: NounSql) => { readonly reads: Reads & AllLocked<Reads>; readonly writes: Writes & AllLocked<Writes> },
): (db: NounSql) => { readonly reads: Reads; readonly writes: Writes } {
  return make;
}
