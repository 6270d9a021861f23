/** Types for the parts of the package `smpp` that tests use. The test SMSC is built on it. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events';
  import type { Server, Socket } from 'node:net';

  export class PDU {
    constructor(command: string, options?: object);
    constructor(frame: Buffer);
    command: string;
    command_id: number;
    command_status: number;
    sequence_number: number;
    toBuffer(): Buffer;
  }

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
    PDU: typeof PDU;
    /** command_status values by name (SMPP 3.4 §5.1.3). */
    errors: Readonly<Record<string, number>>;
    /** `ASCII` is the GSM alphabet. */
    encodings: Readonly<Record<'ASCII' | 'UCS2', { decode(octets: Buffer): string }>>;
    createServer(options: { key?: string; cert?: string }, listener: (session: ServerSession) => void): Server;
  }

  const smpp: Smpp;
  export default smpp;
}
