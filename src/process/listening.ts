import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartError } from '../platform/errors/start-error.js';
import type { Config } from './settings/config.js';

/** Names of the settings that say where to listen. */
interface Names {
  host: string;
  port: string;
}

const OF_SERVER: Names = { host: 'HOST', port: 'PORT' };

/** An address cannot be listened on; the message names the variable to change, HOST or PORT unless told. */
export class ListenError extends StartError {
  /** The address is in use by another program. */
  readonly taken: boolean;

  constructor(config: Pick<Config, 'host' | 'port'>, cause: unknown, names = OF_SERVER) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    super(explain(config, code, cause, names), { cause });
    this.taken = code === 'EADDRINUSE';
  }
}

function explain({ host, port }: Pick<Config, 'host' | 'port'>, code: unknown, cause: unknown, names: Names): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is taken by another program. Stop it, or set ${names.port} to a free port.`;
    case 'EACCES':
      return `This user may not listen on port ${port}. Set ${names.port} to a port above 1023.`;
    case 'EADDRNOTAVAIL':
    // IPv6, where the kernel has none.
    case 'EAFNOSUPPORT':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `This machine has no address ${host} to listen on. Set ${names.host} to one of its addresses.`;
    default:
      return `Listening on port ${port} of ${host} (${names.host}, ${names.port}) failed: ${String(cause)}`;
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
