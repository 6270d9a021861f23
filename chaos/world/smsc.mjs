import { once } from 'node:events';
import smpp from 'smpp';
import { getPlannedEnd } from '../plan.mjs';
import { closeServer } from './close-server.mjs';

const OK = 0x00;
const THROTTLED = 0x58;
const INVALID_DESTINATION = 0x0b;
/** Pause before an unacknowledged receipt is repeated, in milliseconds. */
const RETRY_PAUSE_MS = 400;

/**
 * An SMSC that records its messages. The SMSC can lose responses, and duplicate, delay and contradict receipts, but it repeats
 * every receipt until it is acknowledged.
 */
export class Smsc {
  /** Accepted submits, where `lost` means that the SMSC closed the connection instead of responding. */
  submissions = [];
  /** Acknowledged final states as `{to, via, state}`. */
  receipts = [];
  behaviour = defaultBehaviour();
  #sessions = new Set();
  #server;
  #random;
  #lastId = 0;
  #isClosed = false;

  constructor(random) {
    this.#random = random;
  }

  async open() {
    this.#server = smpp.createServer({}, (session) => this.#serve(session));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = this.#server.address().port;
  }

  #serve(session) {
    if (this.behaviour.away) return session.destroy();
    session.setMaxListeners(0);
    session.on('error', () => session.destroy());
    session.on('close', () => this.#sessions.delete(session));
    session.on('pdu', (pdu) => {
      if (pdu.isResponse()) return;
      if (pdu.command === 'submit_sm') return this.#accept(session, pdu);
      if (pdu.command.startsWith('bind_')) this.#sessions.add(session);
      session.send(pdu.response());
    });
  }

  #accept(session, pdu) {
    if (session.isEnding) return;
    const { throttles, loses } = this.behaviour;
    const to = pdu.destination_addr;
    if (this.#random.chance(throttles)) return session.send(pdu.response({ command_status: THROTTLED }));
    if (getPlannedEnd(to) === 'refused') return session.send(pdu.response({ command_status: INVALID_DESTINATION }));
    this.#lastId += 1;
    const id = String(this.#lastId);
    const lost = this.#random.chance(loses);
    this.submissions.push({ to, via: 'sms', id, at: Date.now(), lost });
    if (lost) closeAfterResponses(session);
    else session.send(pdu.response({ message_id: id }));
    this.#report(pdu, id, to);
  }

  #report(pdu, id, to) {
    const { doubles, contradicts, delayMs } = this.behaviour;
    const state = getPlannedEnd(to) === 'undelivered' ? 'UNDELIV' : 'DELIVRD';
    const states = [state];
    if (this.#random.chance(doubles)) states.push(state);
    if (this.#random.chance(contradicts)) states.push(state === 'DELIVRD' ? 'UNDELIV' : 'DELIVRD');
    let waitMs = this.#random.below(2 * delayMs + 1);
    for (const reportedState of states) {
      setTimeout(() => this.#sendReceipt(pdu, id, to, reportedState), waitMs);
      waitMs += 50;
    }
  }

  /** Sends a receipt over a random bind, and repeats it until it is acknowledged. */
  #sendReceipt(pdu, id, to, state) {
    if (this.#isClosed) return;
    const retry = () => setTimeout(() => this.#sendReceipt(pdu, id, to, state), RETRY_PAUSE_MS);
    const [session] = this.#random.sample([...this.#sessions], 1);
    if (!session) return retry();
    let isFinished = false;
    const finish = (acknowledged) => {
      if (isFinished) return;
      isFinished = true;
      session.off('close', fail);
      if (acknowledged)
        this.receipts.push({ to, via: 'sms', state: state === 'DELIVRD' ? 'delivered' : 'undelivered' });
      else retry();
    };
    const fail = () => finish(false);
    session.on('close', fail);
    const text = `id:${id} sub:001 dlvrd:001 submit date:2701151200 done date:2701151200 stat:${state} err:000 text:`;
    const receipt = new smpp.PDU('deliver_sm', {
      source_addr: to,
      destination_addr: pdu.source_addr,
      esm_class: 4,
      data_coding: 0,
      short_message: Buffer.from(text, 'latin1'),
    });
    session.send(receipt, ({ command_status: status }) => finish(status === OK));
  }

  /** Closes all binds. New binds are refused if `behaviour.away` is true. */
  cut() {
    for (const session of this.#sessions) session.destroy();
  }

  async close() {
    this.#isClosed = true;
    await closeServer(this.#server, () => this.cut());
  }
}

/** Closes a session after its pending responses, because only the response to the current submit must be lost. */
function closeAfterResponses(session) {
  session.isEnding = true;
  session.close();
}

/** Returns the probability of each kind of fault, and the mean delay of receipts. */
export function defaultBehaviour() {
  return { throttles: 0, loses: 0, doubles: 0, contradicts: 0, delayMs: 20, away: false };
}
