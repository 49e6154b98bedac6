import { onTestFinished } from 'vitest';
import { startAnvil } from './anvil.ts';
import { type Answer, type JsonRpcServer, serveJsonRpc } from './json-rpc.ts';
import { type PassingCall, type RpcProxyServer, serveRpcProxy } from './rpc-proxy.ts';

/** What becomes of a call on its way to a node: another answer, or undefined where it passes. */
export type Interception = (call: PassingCall) => Promise<Answer | undefined> | Answer | undefined;

/** An endpoint in front of a node that is honest but for what is intercepted, until the test ends. */
export async function openProxy(node: string, intercept: Interception = () => undefined): Promise<RpcProxyServer> {
  const proxy = await serveRpcProxy(node, async (call) => await intercept(call));
  onTestFinished(proxy.close);
  return proxy;
}

/** Gives one method this answer. */
export function answersTo(asked: string, answer: Answer): Interception {
  return ({ method }) => (method === asked ? answer : undefined);
}

/** Changes what the node answers to one method, where it has an answer. */
export function changes(asked: string, change: (result: object) => unknown): Interception {
  return async ({ method, forward }) => {
    if (method !== asked) return undefined;
    const answer = await forward();
    const isThere = typeof answer === 'object' && 'result' in answer && answer.result !== null;
    return isThere ? { result: change(Object(answer.result)) } : answer;
  };
}

/** An endpoint without a node that answers as a test says, until the test ends. */
export async function openEndpoint(answer: Parameters<typeof serveJsonRpc>[0]): Promise<JsonRpcServer> {
  const server = await serveJsonRpc(answer);
  onTestFinished(server.close);
  return server;
}

/** A node that no other test uses, until the test ends. */
export async function openAnvil(): ReturnType<typeof startAnvil> {
  const anvil = await startAnvil();
  onTestFinished(anvil.stop);
  return anvil;
}
