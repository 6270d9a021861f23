import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { onAbort } from '../../../platform/on-abort.js';
import type { SmppSettings } from '../settings.js';
import { Connection, type ConnectionHandlers } from './connection.js';

/**
 * Rejects with the socket's error, for example ECONNREFUSED, and after the timeout with ETIMEDOUT or
 * ERR_TLS_HANDSHAKE_TIMEOUT.
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
        // TLS server names cannot be IP addresses (RFC 6066 §3).
        servername: settings.tlsServerName ?? (isIP(host) ? undefined : host),
        ca: settings.tlsCa,
        cert: settings.tlsCertificate,
        key: settings.tlsKey,
        rejectUnauthorized: settings.tlsVerify,
      })
    : connectTcp({ host, port });
  socket.setNoDelay(true);
  const timeoutMs = settings.connectTimeoutSeconds * 1000;
  const removeListener = onAbort(signal, () => socket.destroy(signal.reason as Error));
  const timer = setTimeout(() => {
    // A plain SMPP server may read the TLS handshake as an incomplete PDU, and wait for the rest.
    const [missing, code] = socket.connecting ? ['connection', 'ETIMEDOUT'] : ['TLS', 'ERR_TLS_HANDSHAKE_TIMEOUT'];
    socket.destroy(Object.assign(new Error(`no ${missing} to ${host}:${port} within ${timeoutMs} ms`), { code }));
  }, timeoutMs);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once(tls ? 'secureConnect' : 'connect', resolve);
      socket.once('error', reject);
      socket.once('close', () => reject(new Error(`${host}:${port} closed the connection`)));
    });
  } finally {
    clearTimeout(timer);
    removeListener();
  }
  return new Connection(socket, handlers);
}
