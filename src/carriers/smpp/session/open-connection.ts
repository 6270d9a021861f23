import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { onAbort } from '../../../platform/on-abort.js';
import type { SmppSettings } from '../settings.js';
import { Connection, type ConnectionHandlers } from './connection.js';

/**
 * Opens a TCP or TLS connection.
 * @throws Error of the socket, with its `code` such as ECONNREFUSED, or with the code ETIMEDOUT
 */
export async function openConnection(
  settings: SmppSettings,
  handlers: ConnectionHandlers,
  signal: AbortSignal,
): Promise<Connection> {
  const { host, port, tls } = settings;
  signal.throwIfAborted();
  const socket = tls
    ? connectTls({
        host,
        port,
        // RFC 6066 §3 knows no addresses here; the certificate is then verified against the address itself.
        servername: settings.tlsServerName ?? (isIP(host) ? undefined : host),
        ca: settings.tlsCa,
        cert: settings.tlsCertificate,
        key: settings.tlsKey,
        rejectUnauthorized: settings.tlsVerify,
      })
    : connectTcp({ host, port });
  socket.setNoDelay(true);
  const timeoutMs = settings.connectTimeoutSeconds * 1000;
  const unlisten = onAbort(signal, () => socket.destroy(signal.reason as Error));
  const timer = setTimeout(() => {
    // Who speaks no TLS may wait for more of what it takes for a PDU.
    const [what, code] = socket.connecting ? ['connection', 'ETIMEDOUT'] : ['TLS', 'ERR_TLS_HANDSHAKE_TIMEOUT'];
    socket.destroy(Object.assign(new Error(`no ${what} to ${host}:${port} within ${timeoutMs} ms`), { code }));
  }, timeoutMs);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once(tls ? 'secureConnect' : 'connect', resolve);
      socket.once('error', reject);
      socket.once('close', () => reject(new Error(`${host}:${port} closed the connection`)));
    });
  } finally {
    clearTimeout(timer);
    unlisten();
  }
  return new Connection(socket, handlers);
}
