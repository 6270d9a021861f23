import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const TEXT = 'It is on its way.';
const TEMPLATE = {
  templateName: 'chaos',
  language: 'en_US',
  components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }],
};
const GROUP_SIZE = 40;
/** Number of senders whose requests have several recipients. */
const BULK_SENDERS = 3;

/**
 * Sends requests from several senders, and records `{to, kind, via, outcome, id, at}` for every recipient, with `at` from
 * `performance.now()`. A request with the outcome `unknown` may have been carried out, but a request with `refused` changed
 * nothing.
 */
export class Senders {
  journal = [];
  /** Acknowledged campaigns, in which every member must get one message. */
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
    this.#pauseMs = (1000 * BULK_SENDERS) / perSecond;
  }

  start() {
    for (const send of [
      this.#sendV1,
      this.#sendV2,
      this.#sendV2,
      this.#sendWithoutKey,
      this.#sendScheduled,
      this.#sendTemplate,
      this.#converse,
      this.#sendWithFallback,
    ]) {
      this.#running.push(this.#repeat(send.bind(this)));
    }
    this.#running.push(this.#runCampaigns());
  }

  async stop() {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  async #repeat(send) {
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
    const response = await client.request('POST', path, { headers, body, repeats: keyed });
    const entries = response.status === 200 ? response.data.data : [];
    for (const [index, to] of recipients.entries()) {
      this.#record({ to, kind, via, ...toOutcome(response), id: entries[index]?.message_id ?? null });
    }
    return response;
  }

  async #sendV1() {
    const { numbers, random } = this.#world;
    const recipients = Array.from({ length: 1 + random.below(this.#recipients) }, () => numbers.next());
    await this.#limitRate(recipients, this.#sendA('v1', '/v1.0/sms/send', recipients));
  }

  async #sendV2() {
    const { numbers, random } = this.#world;
    const fields = { channel: 'sms', priority: random.below(4) };
    const recipients = Array.from({ length: 1 + random.below(this.#recipients - 1) }, () => numbers.next());
    await this.#limitRate(recipients, this.#sendA('v2', '/v2/send', recipients, fields));
  }

  /** Waits for the response, and at least long enough to stay below the maximum messages per second. */
  async #limitRate(recipients, sending) {
    await Promise.all([sending, pause(recipients.length * this.#pauseMs)]);
  }

  /** A request without an idempotency key is not repeated, so its outcome is unknown after a lost response. */
  async #sendWithoutKey() {
    await this.#sendA('unkeyed', '/v2/send', [this.#world.numbers.next()], { channel: 'sms' }, { keyed: false });
    await pause(20);
  }

  async #sendScheduled() {
    const scheduledAt = new Date(Date.now() + 2_000 + this.#world.random.below(4_000)).toISOString();
    await this.#sendA('schedule', '/v2/send', [this.#world.numbers.next()], {
      channel: 'sms',
      scheduled_at: scheduledAt,
    });
    await pause(100);
  }

  async #sendTemplate() {
    const { numbers } = this.#world;
    await this.#sendB('template', '/api/v1/messages/template', numbers.next(), TEMPLATE);
  }

  /** Simulates a contact that sends a message and gets a reply. */
  async #converse() {
    const { numbers, meta } = this.#world;
    const from = numbers.next();
    await meta.sendInbound(from, 'Where is it?');
    // The reply window opens when the contact's message has been processed.
    for (let tries = 0; tries < 200; tries += 1) {
      const response = await this.#sendB('reply', '/api/v1/messages/reply', from, { message: TEXT }, 403);
      if (response.status !== 403) return;
      await pause(100);
    }
    this.#record({ to: from, kind: 'reply', via: 'whatsapp', outcome: 'closed', id: null });
  }

  /** Responses with the status `ignoredStatus` are not recorded. */
  async #sendB(kind, path, to, fields, ignoredStatus) {
    const { client, channelHeaders } = this.#world;
    const headers = { ...channelHeaders, 'idempotency-key': randomUUID() };
    const response = await client.request('POST', path, { headers, body: { to, ...fields }, repeats: true });
    // Status 400 means that the carrier rejected the message, which is nevertheless stored, and refunded.
    const outcome = response.status === 400 ? { outcome: 'refused by carrier' } : toOutcome(response);
    if (response.status !== ignoredStatus) {
      this.#record({ to, kind, via: 'whatsapp', ...outcome, id: response.data?.data?.messageId ?? null });
    }
    return response;
  }

  async #sendWithFallback() {
    const { numbers } = this.#world;
    const fields = {
      channel: 'whatsapp',
      from: this.#world.meta.businessNumber,
      fallback: { channel: 'sms', from: 'Chaos', message: TEXT },
    };
    await this.#sendA('fallback', '/v2/send', [numbers.nextWithEnd('undelivered')], fields, { via: 'whatsapp' });
    await pause(100);
  }

  async #runCampaigns() {
    const { client, numbers, channelHeaders: headers } = this.#world;
    const request = async (method, path, body) => {
      // A repeated request may fail because an earlier attempt has already created the group or import.
      const response = await client.request(method, `/api/v1${path}`, { headers, body, repeats: true });
      return response.status === 200 ? response.data.data : null;
    };
    for (let round = 1; !this.#stopping; round += 1) {
      const members = Array.from({ length: GROUP_SIZE }, () => numbers.next());
      const group = await request('POST', '/contacts/groups', { name: `Chaos ${round} ${randomUUID()}` });
      if (!group) return;
      const contacts = members.map((phone) => ({ phone, name: 'Ann' }));
      const started = await request('POST', '/contacts/imports', { contacts, groupId: group.id });
      if (!started) return;
      let progress = started;
      while (progress && progress.status !== 'completed') {
        await pause(200);
        progress = await request('GET', `/contacts/imports/${started.id}`);
      }
      const { templateName, language, components } = TEMPLATE;
      const body = { name: `Chaos ${round}`, groupId: group.id, templateName, language, components };
      const response = await client.request('POST', '/api/v1/campaigns', { headers, body, repeats: false });
      if (response.status === 200) this.campaigns.push({ id: response.data.data.id, members });
      await pause(4_000);
    }
  }

  #record(entry) {
    this.journal.push({ ...entry, at: performance.now() });
  }
}

function toOutcome({ status, wasUnknown }) {
  if (status === 200) return { outcome: 'acknowledged' };
  const isDefinite = status !== 0 && status < 500 && !wasUnknown;
  return { outcome: isDefinite ? 'refused' : 'unknown', status };
}
