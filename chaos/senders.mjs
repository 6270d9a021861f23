import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const TEXT = 'It is on its way.';
const TEMPLATE = {
  templateName: 'chaos',
  language: 'en_US',
  components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }],
};
const GROUP_SIZE = 40;
/** Number of senders that send to several numbers at once. */
const TO_SEVERAL = 3;

/**
 * Each sends one request after another and records `{to, kind, via, outcome, id, at}`, with `at` by `performance.now()`. The
 * outcome `unknown` may have been carried out; `refused` changed nothing.
 */
export class Senders {
  journal = [];
  /** Members of acknowledged campaigns. Each must get one message. */
  campaigns = [];
  #world;
  #recipients;
  #pauseMs;
  #running = [];
  #stopping = false;

  /**
   * @param {number} recipients maximum recipients of a send of Surface A
   * @param {number} perSecond maximum messages per second of such sends
   */
  constructor(world, recipients, perSecond) {
    this.#world = world;
    this.#recipients = recipients;
    this.#pauseMs = (1000 * TO_SEVERAL) / perSecond;
  }

  start() {
    for (const send of [
      this.#v1,
      this.#v2,
      this.#v2,
      this.#unkeyed,
      this.#scheduled,
      this.#template,
      this.#conversation,
      this.#fallback,
    ]) {
      this.#running.push(this.#again(send.bind(this)));
    }
    this.#running.push(this.#campaign());
  }

  async stop() {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  async #again(send) {
    while (!this.#stopping) await send();
  }

  async #sendA(kind, path, recipients, fields, { keyed = true, via = 'sms' } = {}) {
    const { client, apiKey } = this.#world;
    const headers = { authorization: `Bearer ${apiKey}`, ...(keyed && { 'idempotency-key': randomUUID() }) };
    const body = {
      to: path.startsWith('/v1') ? recipients.join(',') : recipients,
      from: 'Chaos',
      message: TEXT,
      ...fields,
    };
    const answer = await client.ask('POST', path, { headers, body, repeats: keyed });
    const entries = answer.status === 200 ? answer.data.data : [];
    for (const [index, to] of recipients.entries()) {
      this.#note({ to, kind, via, ...toOutcome(answer), id: entries[index]?.message_id ?? null });
    }
    return answer;
  }

  async #v1() {
    const { numbers, choices } = this.#world;
    const recipients = Array.from({ length: 1 + choices.below(this.#recipients) }, () => numbers.next());
    await this.#inTurn(recipients, this.#sendA('v1', '/v1.0/sms/send', recipients));
  }

  async #v2() {
    const { numbers, choices } = this.#world;
    const fields = { channel: 'sms', priority: choices.below(4) };
    const recipients = Array.from({ length: 1 + choices.below(this.#recipients - 1) }, () => numbers.next());
    await this.#inTurn(recipients, this.#sendA('v2', '/v2/send', recipients, fields));
  }

  /** Also stays below the maximum messages per second. */
  async #inTurn(recipients, sent) {
    await Promise.all([sent, pause(recipients.length * this.#pauseMs)]);
  }

  /** After a lost response the outcome is unknown, and the send is not repeated. */
  async #unkeyed() {
    await this.#sendA('unkeyed', '/v2/send', [this.#world.numbers.next()], { channel: 'sms' }, { keyed: false });
    await pause(20);
  }

  async #scheduled() {
    const scheduledAt = new Date(Date.now() + 2_000 + this.#world.choices.below(4_000)).toISOString();
    await this.#sendA('schedule', '/v2/send', [this.#world.numbers.next()], {
      channel: 'sms',
      scheduled_at: scheduledAt,
    });
    await pause(100);
  }

  async #template() {
    const { numbers } = this.#world;
    await this.#sendB('template', '/api/v1/messages/template', numbers.next(), TEMPLATE);
  }

  /** A contact writes, by a signed webhook, and gets a reply. */
  async #conversation() {
    const { numbers, meta } = this.#world;
    const from = numbers.next();
    await meta.write(from, 'Where is it?');
    // The reply window opens once the stored webhook has been processed.
    for (let tries = 0; tries < 200; tries += 1) {
      const answer = await this.#sendB('reply', '/api/v1/messages/reply', from, { message: TEXT }, 403);
      if (answer.status !== 403) return;
      await pause(100);
    }
    this.#note({ to: from, kind: 'reply', via: 'whatsapp', outcome: 'closed', id: null });
  }

  /** @param {number} [unsaid] a status that is not recorded */
  async #sendB(kind, path, to, fields, unsaid) {
    const { client, channelHeaders } = this.#world;
    const headers = { ...channelHeaders, 'idempotency-key': randomUUID() };
    const answer = await client.ask('POST', path, { headers, body: { to, ...fields }, repeats: true });
    // Rejected by the carrier: the message exists and is refunded.
    const outcome = answer.status === 400 ? { outcome: 'refused by carrier' } : toOutcome(answer);
    if (answer.status !== unsaid) {
      this.#note({ to, kind, via: 'whatsapp', ...outcome, id: answer.data?.data?.messageId ?? null });
    }
    return answer;
  }

  async #fallback() {
    const { numbers } = this.#world;
    const fields = {
      channel: 'whatsapp',
      from: this.#world.meta.businessNumber,
      fallback: { channel: 'sms', from: 'Chaos', message: TEXT },
    };
    await this.#sendA('fallback', '/v2/send', [numbers.that('undelivered')], fields, { via: 'whatsapp' });
    await pause(100);
  }

  async #campaign() {
    const { client, numbers, channelHeaders: headers } = this.#world;
    const ask = async (method, path, body) => {
      // A repeated creation may already have been carried out.
      const answer = await client.ask(method, `/api/v1${path}`, { headers, body, repeats: true });
      return answer.status === 200 ? answer.data.data : null;
    };
    for (let round = 1; !this.#stopping; round += 1) {
      const members = Array.from({ length: GROUP_SIZE }, () => numbers.next());
      const group = await ask('POST', '/contacts/groups', { name: `Chaos ${round} ${randomUUID()}` });
      if (!group) return;
      const contacts = members.map((phone) => ({ phone, name: 'Ann' }));
      const started = await ask('POST', '/contacts/imports', { contacts, groupId: group.id });
      if (!started) return;
      let done = started;
      while (done && done.status !== 'completed') {
        await pause(200);
        done = await ask('GET', `/contacts/imports/${started.id}`);
      }
      const { templateName, language, components } = TEMPLATE;
      const body = { name: `Chaos ${round}`, groupId: group.id, templateName, language, components };
      const answer = await client.ask('POST', '/api/v1/campaigns', { headers, body, repeats: false });
      if (answer.status === 200) this.campaigns.push({ id: answer.data.data.id, members });
      await pause(4_000);
    }
  }

  #note(entry) {
    this.journal.push({ ...entry, at: performance.now() });
  }
}

function toOutcome({ status, wasUnknown }) {
  if (status === 200) return { outcome: 'acknowledged' };
  const isDefinite = status !== 0 && status < 500 && !wasUnknown;
  return { outcome: isDefinite ? 'refused' : 'unknown', status };
}
