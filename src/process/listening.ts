import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartError } from '../platform/errors/start-error.js';
import type { Config } from './settings/config.js';

interface AddressSettings {
  host: string;
  port: string;
}

const SERVER_SETTINGS: AddressSettings = { host: 'HOST', port: 'PORT' };

/** Error whose message names the setting to change, by default HOST or PORT. */
export class ListenError extends StartError {
  readonly isAddressInUse: boolean;

  constructor(config: Pick<Config, 'host' | 'port'>, cause: unknown, settings = SERVER_SETTINGS) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    super(explainListenError(config, code, cause, settings), { cause });
    this.isAddressInUse = code === 'EADDRINUSE';
  }
}

function explainListenError(
  { host, port }: Pick<Config, 'host' | 'port'>,
  code: unknown,
  cause: unknown,
  settings: AddressSettings,
): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Another program uses port ${port} of ${host}. Stop it, or set ${settings.port} to a free port.`;
    case 'EACCES':
      return `This user may not listen on port ${port}. Set ${settings.port} to a port above 1023.`;
    case 'EADDRNOTAVAIL':
    // EAFNOSUPPORT means that the kernel does not support IPv6.
    case 'EAFNOSUPPORT':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `This machine has no address ${host} to listen on. Set ${settings.host} to one of its addresses.`;
    default:
      return `Listening on port ${port} of ${host} (${settings.host}, ${settings.port}) failed: ${String(cause)}`;
  }
}

/**
 * Listens for a moment before the slow parts of the start, so that a port in use is reported early.
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
