import { once } from 'node:events';
import smpp from 'smpp';
import { endOf } from '../plan.mjs';
import { closeServer } from './close-server.mjs';

const OK = 0x00;
const THROTTLED = 0x58;
const INVALID_DESTINATION = 0x0b;
/** Pause before an unacknowledged receipt is repeated. */
const AGAIN_MS = 400;

/** Records everything. It can lose, duplicate, delay and contradict responses, but never loses a receipt. */
export class Smsc {
  /** Each accepted submit: `{to, via, id, at, lost}`; `lost`: it closed the connection instead of responding. */
  taken = [];
  /** Each acknowledged final state: `{to, via, state}`. */
  reported = [];
  behaviour = calm();
  #sessions = new Set();
  #server;
  #choices;
  #lastId = 0;
  #closed = false;

  constructor(choices) {
    this.#choices = choices;
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
      if (pdu.command === 'submit_sm') return this.#take(session, pdu);
      if (pdu.command.startsWith('bind_')) this.#sessions.add(session);
      session.send(pdu.response());
    });
  }

  #take(session, pdu) {
    if (session.isEnding) return;
    const { throttles, loses } = this.behaviour;
    const to = pdu.destination_addr;
    if (this.#choices.happens(throttles)) return session.send(pdu.response({ command_status: THROTTLED }));
    if (endOf(to) === 'refused') return session.send(pdu.response({ command_status: INVALID_DESTINATION }));
    this.#lastId += 1;
    const id = String(this.#lastId);
    const lost = this.#choices.happens(loses);
    this.taken.push({ to, via: 'sms', id, at: Date.now(), lost });
    if (lost) end(session);
    else session.send(pdu.response({ message_id: id }));
    this.#report(pdu, id, to);
  }

  #report(pdu, id, to) {
    const { doubles, contradicts, delayMs } = this.behaviour;
    const state = endOf(to) === 'undelivered' ? 'UNDELIV' : 'DELIVRD';
    const states = [state];
    if (this.#choices.happens(doubles)) states.push(state);
    if (this.#choices.happens(contradicts)) states.push(state === 'DELIVRD' ? 'UNDELIV' : 'DELIVRD');
    let waitMs = this.#choices.below(2 * delayMs + 1);
    for (const each of states) {
      setTimeout(() => this.#send(pdu, id, to, each), waitMs);
      waitMs += 50;
    }
  }

  /** Uses any bind, and repeats the receipt until it is acknowledged. */
  #send(pdu, id, to, state) {
    if (this.#closed) return;
    const again = () => setTimeout(() => this.#send(pdu, id, to, state), AGAIN_MS);
    const [session] = this.#choices.some([...this.#sessions], 1);
    if (!session) return again();
    let isOver = false;
    const over = (acknowledged) => {
      if (isOver) return;
      isOver = true;
      session.off('close', gone);
      if (acknowledged)
        this.reported.push({ to, via: 'sms', state: state === 'DELIVRD' ? 'delivered' : 'undelivered' });
      else again();
    };
    const gone = () => over(false);
    session.on('close', gone);
    const text = `id:${id} sub:001 dlvrd:001 submit date:2701151200 done date:2701151200 stat:${state} err:000 text:`;
    const receipt = new smpp.PDU('deliver_sm', {
      source_addr: to,
      destination_addr: pdu.source_addr,
      esm_class: 4,
      data_coding: 0,
      short_message: Buffer.from(text, 'latin1'),
    });
    session.send(receipt, ({ command_status: status }) => over(status === OK));
  }

  /** `behaviour.away` decides whether new binds are accepted. */
  cut() {
    for (const session of this.#sessions) session.destroy();
  }

  async close() {
    this.#closed = true;
    await closeServer(this.#server, () => this.cut());
  }
}

/** Delivers earlier responses first, because `lost` marks only single ones. */
function end(session) {
  session.isEnding = true;
  session.close();
}

export function calm() {
  return { throttles: 0, loses: 0, doubles: 0, contradicts: 0, delayMs: 20, away: false };
}
