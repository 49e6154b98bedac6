import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ServedService } from '../serve.ts';

/** The revisions of the protocol whose clients are served, each by the SDK that speaks it. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

/** What a tool call returns. */
export interface Called {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: unknown;
}

/** A tool as an agent sees it. */
export interface SeenTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly properties?: Record<string, unknown>; readonly required?: readonly string[] };
  readonly annotations: Record<string, unknown>;
}

/** A connected agent. */
export interface Agent {
  tools(): Promise<readonly SeenTool[]>;
  call(name: string, args?: Record<string, unknown>): Promise<Called>;
  close(): Promise<void>;
}

const IDENTITY = { name: 'test', version: '1.0.0' };

/** Connects by the SDK's own client of a revision. */
export async function connectAgent(
  { origin }: Pick<ServedService, 'origin'>,
  revision: Revision,
  headers: Record<string, string> = {},
): Promise<Agent> {
  const url = new URL(`${origin}/mcp`);
  const requestInit = { headers };
  const client =
    revision === '2026-07-28'
      ? new Client(IDENTITY, { versionNegotiation: { mode: { pin: revision } } })
      : new OlderClient(IDENTITY);
  if (client instanceof Client) await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  // Its declaration of an optional field does not fit the compiler's strictest reading.
  else await client.connect(new OlderTransport(url, { requestInit }) as Parameters<OlderClient['connect']>[0]);
  return {
    tools: async () => (await client.listTools()).tools as unknown as SeenTool[],
    call: async (name, args = {}) => {
      const result = await client.callTool({ name, arguments: args });
      const [first] = result.content as { text: string }[];
      return { isError: result.isError === true, text: first?.text ?? '', structured: result.structuredContent };
    },
    close: () => client.close(),
  };
}
