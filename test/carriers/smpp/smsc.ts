import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import smpp, { type ServerPdu, type ServerSession } from 'smpp';
import { readSubmit, type Submit } from './received-submit.js';

export interface Treatment {
  status?: number;
  id?: string;
  /**
   * With `never`, the SMSC does not respond. With `receipt-first`, the SMSC responds after the carrier has answered its
   * receipts.
   */
  answer?: 'never' | 'receipt-first';
  /** Receipts that the SMSC sends in this order. */
  receipts?: readonly object[];
  drop?: boolean;
}

export interface SmscOptions {
  systemId?: string;
  password?: string;
  /** Status by command, e.g. `{ bind_transceiver: 0x0d }`. */
  refuse?: Readonly<Record<string, number>>;
  interfaceVersion?: number;
  /** The sc_interface_version in bind responses; null omits the parameter. */
  scInterfaceVersion?: number | null;
  tls?: { key: string; cert: string };
  mute?: readonly string[];
}

export class Smsc {
  readonly options: SmscOptions;
  readonly submits: Submit[] = [];
  readonly binds: ServerPdu[] = [];
  readonly sessions = new Set<ServerSession>();
  readonly commands = new Map<string, number>();
  treat: (submit: Submit, index: number) => Treatment = () => ({});
  readonly #server: Server;
  #port = 0;
  #lastId = 0;

  constructor(options: SmscOptions = {}) {
    this.options = options;
    this.#server = smpp.createServer(options.tls ?? {}, (session) => this.#accept(session));
    this.#server.on('tlsClientError', () => undefined);
  }

  static async start(options: SmscOptions = {}): Promise<Smsc> {
    const smsc = new Smsc(options);
    await smsc.listen();
    return smsc;
  }

  get port(): number {
    return this.#port;
  }

  get bound(): ServerSession[] {
    return [...this.sessions].filter((session) => this.#bound.has(session));
  }
  readonly #bound = new Set<ServerSession>();

  async listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async kill(): Promise<void> {
    if (!this.#server.listening) return;
    const closing = once(this.#server, 'close');
    this.#server.close();
    this.dropConnections();
    await closing;
  }

  dropConnections(): void {
    for (const { socket } of this.sessions) {
      if (this.options.tls) socket.destroy();
      else socket.resetAndDestroy();
    }
  }

  sendRaw(octets: Buffer): void {
    for (const { socket } of this.sessions) socket.write(octets);
  }

  request(command: string, fields: object, session = this.bound[0]): Promise<ServerPdu> {
    if (!session) return Promise.reject(new Error('no session is bound'));
    return new Promise((resolve, reject) => {
      session.once('close', () => reject(new Error('the connection ended before the response')));
      if (!session.send(new smpp.PDU(command, fields), resolve)) reject(new Error('the connection is closed'));
    });
  }

  deliver(fields: object, session?: ServerSession): Promise<ServerPdu> {
    return this.request('deliver_sm', fields, session);
  }

  #accept(session: ServerSession): void {
    this.sessions.add(session);
    session.setMaxListeners(0);
    const octets: Buffer[] = [];
    // Records the raw octets, because the npm package `smpp` passes on only parsed PDUs.
    session.socket.on('data', (chunk: Buffer) => octets.push(chunk));
    session.on('error', () => session.destroy());
    session.on('close', () => {
      this.sessions.delete(session);
      this.#bound.delete(session);
    });
    session.on('pdu', (pdu: ServerPdu) => this.#handle(session, pdu, Buffer.concat(octets.splice(0))));
  }

  #handle(session: ServerSession, pdu: ServerPdu, octets: Buffer): void {
    if (pdu.isResponse()) return;
    this.commands.set(pdu.command, (this.commands.get(pdu.command) ?? 0) + 1);
    if (this.options.mute?.includes(pdu.command)) return;
    const refusal = this.options.refuse?.[pdu.command];
    if (refusal !== undefined) {
      session.send(pdu.response({ command_status: refusal }));
      return;
    }
    if (pdu.command.startsWith('bind_')) this.#bind(session, pdu);
    else if (pdu.command === 'submit_sm') void this.#submit(session, readSubmit(session, octets));
    else session.send(pdu.response());
  }

  #bind(session: ServerSession, pdu: ServerPdu): void {
    const { systemId = 'heliograph', password = 'secret', interfaceVersion, scInterfaceVersion = 0x34 } = this.options;
    if (pdu.system_id !== systemId) session.send(pdu.response({ command_status: smpp.errors.ESME_RINVSYSID }));
    else if (pdu.password !== password) session.send(pdu.response({ command_status: smpp.errors.ESME_RINVPASWD }));
    else if (interfaceVersion !== undefined && pdu.interface_version !== interfaceVersion) {
      session.send(pdu.response({ command_status: smpp.errors.ESME_RBINDFAIL }));
    } else {
      this.#bound.add(session);
      this.binds.push(pdu);
      const version = scInterfaceVersion === null ? {} : { sc_interface_version: scInterfaceVersion };
      session.send(pdu.response({ system_id: 'smsc', ...version }));
    }
  }

  async #submit(session: ServerSession, submit: Submit): Promise<void> {
    const treatment = this.treat(submit, this.submits.length);
    const { status = 0, answer, receipts = [], drop } = treatment;
    this.submits.push(submit);
    if (drop) {
      session.destroy();
      return;
    }
    if (answer === 'never') return;
    if (status === 0) submit.id = treatment.id ?? String(++this.#lastId);
    if (answer === 'receipt-first') {
      for (const receipt of receipts) await this.deliver(insertId(receipt, submit.id), session).catch(() => undefined);
    }
    session.send(buildResponse(submit.sequence, submit.id, status));
    if (answer === 'receipt-first') return;
    for (const receipt of receipts) void this.deliver(insertId(receipt, submit.id), session).catch(() => undefined);
  }
}

export function buildResponse(sequence: number, id: string, status = 0) {
  return new smpp.PDU('submit_sm_resp', { command_status: status, sequence_number: sequence, message_id: id });
}

function insertId(fields: object, id: string): object {
  const { short_message: message } = fields as { short_message?: Buffer };
  if (!message) return fields;
  return { ...fields, short_message: Buffer.from(message.toString('latin1').replace('{id}', id), 'latin1') };
}

/** Builds a deliver_sm with a receipt (SMPP 3.4, Appendix B). The SMSC replaces `{id}` with the message ID. */
export function buildReceipt(state = 'DELIVRD', { id = '{id}', err = '000', esmClass = 0x04 } = {}): object {
  const text = `id:${id} sub:001 dlvrd:001 submit date:2701151200 done date:2701151201 stat:${state} err:${err} text:Hello`;
  return {
    source_addr: '40722000001',
    destination_addr: 'Heliograph',
    esm_class: esmClass,
    data_coding: 0,
    short_message: Buffer.from(text, 'latin1'),
  };
}
