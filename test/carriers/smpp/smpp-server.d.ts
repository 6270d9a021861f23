/** The server side of the package, on which the stand-in is built. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events';
  import type { Server, Socket } from 'node:net';

  export interface ServerPdu extends PDU {
    [field: string]: unknown;
    isResponse(): boolean;
    response(options?: object): PDU;
  }

  export interface ServerSession extends EventEmitter {
    socket: Socket;
    send(pdu: PDU, onResponse?: (pdu: ServerPdu) => void): boolean;
    destroy(): void;
    close(): void;
  }

  export interface Smpp {
    /** `ASCII` is the GSM alphabet. */
    encodings: Readonly<Record<'ASCII' | 'UCS2', { decode(octets: Buffer): string }>>;
    createServer(options: { key?: string; cert?: string }, listener: (session: ServerSession) => void): Server;
  }
}
