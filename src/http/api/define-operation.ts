import type { RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { KeyActor } from '../../domain/operators/actor.ts';
import type { Prepared } from '../../services/prepared.ts';
import type { HttpContext } from '../context.ts';
import { actorOf } from '../middleware/api-key.ts';
import { answerJson } from '../middleware/body.ts';
import type { App, AppEnv } from '../middleware/context.ts';
import { createIdempotency } from '../middleware/idempotency.ts';
import { middlewareOf, type RouteTerms, routeOf } from './operation-route.ts';
import { refuseAlsoFor, refuseInOneSentence } from './validation.ts';

/** A request for an operation, as its schemas read it. */
interface Asked<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The client behind the API key; there is one only where the request needs a key. */
  readonly actor: KeyActor;
  readonly c: Context<AppEnv>;
}

/** A request whose body may have problems. */
interface Unchecked<Body> {
  /** The fields that are well-formed. */
  readonly fields: Partial<Body>;
  /** The body as it was sent. */
  readonly sent: unknown;
  readonly actor: KeyActor;
  readonly c: Context<AppEnv>;
}

interface ReadTerms<Params, Query, Body> extends RouteTerms {
  readonly params?: z.ZodObject & z.ZodType<Params>;
  readonly query?: z.ZodObject & z.ZodType<Query>;
  /** Reads the query instead of its schema, which then only documents it: validation takes about 10 µs of a look-up. */
  readQuery?(c: Context<AppEnv>): Query;
  readonly body?: { readonly schema: z.ZodType<Body>; readonly sample: string };
  /** Has a malformed body refused with its first problem alone. */
  readonly inOneSentence?: true;
  /** Further problems of the body's fields, refused together with its own. An error that it throws comes first. */
  problems?(deps: HttpContext, asked: Unchecked<Body>): readonly string[] | Promise<readonly string[]>;
}

/** Makes the JSON of the answer. */
interface Rendering<Request, Result, Schema extends z.ZodType<object>> {
  readonly answer: { readonly status: 200 | 201 | 202; readonly schema: Schema };
  render(result: Result, asked: Request): z.output<Schema>;
  respond?: never;
}

/** Answers what is no JSON, or is JSON text already. */
interface Responding<Request, Result> {
  respond(result: Result, asked: Request, deps: HttpContext): Response;
  render?: never;
}

/** Changes something once for each Idempotency-Key: the first response is saved with the change. */
interface Preparing<Request, Result> {
  prepare(deps: HttpContext, asked: Request): Prepared<Result> | Promise<Prepared<Result>>;
  run?: never;
  createRun?: never;
}

interface Running<Request, Result> {
  run(deps: HttpContext, asked: Request): Result | Promise<Result>;
  createRun?: never;
  prepare?: never;
}

/** As {@link Running}, of what is kept between requests. */
interface RunningOn<Request, Result> {
  createRun(deps: HttpContext): (asked: Request) => Result | Promise<Result>;
  run?: never;
  prepare?: never;
}

type Doing<Request, Result, Schema extends z.ZodType<object>> =
  | (Preparing<Request, Result> & Rendering<Request, Result, Schema>)
  | ((Running<Request, Result> | RunningOn<Request, Result>) &
      (Rendering<Request, Result, Schema> | Responding<Request, Result>));

/** An operation of the API. */
export interface Operation extends RouteTerms {
  /** Adds its route to the app, and with it its description to the document. */
  add(app: App, deps: HttpContext): void;
}

/** Makes an operation: its route, its part of the document and its tool follow from what it declares. */
export function defineOperation<
  Result,
  Schema extends z.ZodType<object>,
  Params = undefined,
  Query = undefined,
  Body = undefined,
>(spec: ReadTerms<Params, Query, Body> & Doing<Asked<Params, Query, Body>, Result, Schema>): Operation {
  type Request = Asked<Params, Query, Body>;
  type Input = { out: { param: Params; query: Query; json: Body } };
  const { answer, body, problems } = spec;
  const route = routeOf(spec, spec.prepare !== undefined);

  function createAnswer(deps: HttpContext) {
    if (spec.prepare) {
      const once = createIdempotency(deps, { status: answer.status, readsBody: body !== undefined });
      const answerOnce = (asked: Request) =>
        once.answer(
          asked.c,
          (result: Result) => spec.render(result, asked),
          () => spec.prepare(deps, asked),
        );
      return { replay: [once.replay], answerTo: answerOnce };
    }
    const run = spec.createRun ? spec.createRun(deps) : (asked: Request) => spec.run(deps, asked);
    const answerTo = async (asked: Request) => {
      const result = await run(asked);
      return spec.respond
        ? spec.respond(result, asked, deps)
        : answerJson(asked.c, spec.render(result, asked), spec.answer.status);
    };
    return { replay: [], answerTo };
  }

  function createHook(deps: HttpContext) {
    if (spec.inOneSentence) return refuseInOneSentence;
    if (!problems || !body) return undefined;
    return refuseAlsoFor(body.schema, (fields, sent, c) => problems(deps, { fields, sent, actor: actorOf(c), c }));
  }

  function add(app: App, deps: HttpContext): void {
    const { replay, answerTo } = createAnswer(deps);
    const middleware = [...middlewareOf(spec, deps), ...replay];
    const answer = (c: Context<AppEnv, string, Input>) => {
      const query = spec.readQuery ? spec.readQuery(c) : c.req.valid('query');
      return answerTo({ params: c.req.valid('param'), query, body: c.req.valid('json'), actor: actorOf(c), c });
    };
    if (spec.readQuery) {
      app.openAPIRegistry.registerPath(route);
      app.on([route.method], [route.path], ...middleware, answer);
    } else app.openapi<RouteConfig, Input, string>({ ...route, middleware }, answer, createHook(deps));
  }

  return { ...spec, add };
}
