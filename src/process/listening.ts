import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartError } from '../platform/errors/start-error.js';
import type { Config } from './config.js';

/** HOST and PORT cannot be listened on; the message names the variable to change. */
export class ListenError extends StartError {
  /** The address is in use by another program. */
  readonly taken: boolean;

  constructor(config: Pick<Config, 'host' | 'port'>, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    super(explain(config, code, cause), { cause });
    this.taken = code === 'EADDRINUSE';
  }
}

function explain({ host, port }: Pick<Config, 'host' | 'port'>, code: unknown, cause: unknown): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is taken by another program. Stop it, or set PORT to a free port.`;
    case 'EACCES':
      return `This user may not listen on port ${port}. Set PORT to a port above 1023.`;
    case 'EADDRNOTAVAIL':
    // IPv6, where the kernel has none.
    case 'EAFNOSUPPORT':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `This machine has no address ${host} to listen on. Set HOST to one of its addresses.`;
    default:
      return `Listening on port ${port} of ${host} (HOST, PORT) failed: ${String(cause)}`;
  }
}

/**
 * Tries to listen, so that a taken port is known before anything slow begins.
 * @throws {ListenError}
 */
export async function tryListening(config: Pick<Config, 'host' | 'port'>): Promise<void> {
  const server = createServer();
  try {
    server.listen({ host: config.host, port: config.port });
    await once(server, 'listening');
  } catch (error) {
    throw new ListenError(config, error);
  } finally {
    if (server.listening) {
      server.close();
      await once(server, 'close');
    }
  }
}
