import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { getPlannedEnd } from '../plan.mjs';
import { closeServer } from './close-server.mjs';
import { defaultBehaviour } from './smsc.mjs';

const RETRY_PAUSE_MS = 400;
const PHONE_NUMBER_ID = '106540352242922';
const BUSINESS_NUMBER = '15550783881';

/** A stub of Meta's Cloud API that repeats each webhook until the webhook gets 200. */
export class Meta {
  submissions = [];
  receipts = [];
  behaviour = defaultBehaviour();
  appSecret = randomBytes(16).toString('hex');
  phoneNumberId = PHONE_NUMBER_ID;
  businessAccountId = '102290129340398';
  businessNumber = BUSINESS_NUMBER;
  /** IDs of inbound messages whose webhook got the status 200. */
  inboundIds = [];
  #server;
  #random;
  #callbackUrls = () => [];
  #lastId = 0;
  #isClosed = false;

  constructor(random) {
    this.#random = random;
  }

  async open() {
    this.#server = createServer((request, response) => void this.#respond(request, response));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.baseUrl = `http://127.0.0.1:${this.#server.address().port}`;
  }

  /**
   * Sends each webhook to a random URL.
   * @param {() => string[]} urls
   */
  reportTo(urls) {
    this.#callbackUrls = urls;
  }

  /** Sends an inbound message, and resolves when the server has answered its webhook with 200. */
  async sendInbound(from, text) {
    const id = this.#nextId();
    const value = {
      contacts: [{ wa_id: from, profile: { name: `Contact ${from}` } }],
      messages: [{ from, id, timestamp: now(), type: 'text', text: { body: text } }],
    };
    await this.#postWebhook(value);
    this.inboundIds.push(id);
  }

  async #respond(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { pathname } = new URL(request.url, this.baseUrl);
    const respond = (status, body) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (this.behaviour.away) return response.destroy();
    if (pathname.endsWith('/message_templates')) return respond(200, { data: [TEMPLATE], paging: {} });
    if (!pathname.endsWith(`/${PHONE_NUMBER_ID}/messages`)) return respond(404, error(100, 'Unsupported request'));
    const to = JSON.parse(Buffer.concat(chunks).toString()).to.replace('+', '');
    if (this.#random.chance(this.behaviour.throttles)) return respond(500, error(131016, 'Service unavailable'));
    if (getPlannedEnd(to) === 'refused') return respond(400, error(131026, 'Message undeliverable'));
    const id = this.#nextId();
    const lost = this.#random.chance(this.behaviour.loses);
    this.submissions.push({ to, via: 'whatsapp', id, at: Date.now(), lost });
    if (lost) response.destroy();
    else respond(200, { messaging_product: 'whatsapp', contacts: [{ input: to, wa_id: to }], messages: [{ id }] });
    this.#report(id, to);
  }

  #report(id, to) {
    const end = getPlannedEnd(to);
    const statuses = end === 'undelivered' ? ['failed'] : end === 'read' ? ['delivered', 'read'] : ['delivered'];
    if (this.#random.chance(this.behaviour.doubles)) statuses.push(statuses.at(-1));
    if (this.#random.chance(this.behaviour.contradicts)) {
      statuses.push(statuses.includes('failed') ? 'delivered' : 'failed');
    }
    let waitMs = this.#random.below(2 * this.behaviour.delayMs + 1);
    for (const status of statuses) {
      setTimeout(() => void this.#reportStatus(id, to, status), waitMs);
      waitMs += 50;
    }
  }

  async #reportStatus(id, to, status) {
    const errors = [{ code: 131049, title: 'Not delivered to keep the ecosystem healthy' }];
    const statusEntry = { id, status, timestamp: now(), recipient_id: to, ...(status === 'failed' && { errors }) };
    await this.#postWebhook({ statuses: [statusEntry] });
    this.receipts.push({ to, via: 'whatsapp', state: status });
  }

  async #postWebhook(value) {
    const metadata = { display_phone_number: BUSINESS_NUMBER, phone_number_id: PHONE_NUMBER_ID };
    const changes = [{ field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } }];
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: this.businessAccountId, changes }],
    });
    const signature = createHmac('sha256', this.appSecret).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
    while (!this.#isClosed) {
      const url = this.#random.pick(this.#callbackUrls());
      const status = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) }).then(
        (response) => response.status,
        () => 0,
      );
      if (status === 200) return;
      await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
    }
  }

  #nextId() {
    this.#lastId += 1;
    return `wamid.chaos${this.#lastId}`;
  }

  cut() {
    this.#server.closeAllConnections();
  }

  async close() {
    this.#isClosed = true;
    await closeServer(this.#server, () => this.cut());
  }
}

const TEMPLATE = {
  id: '1234567890',
  name: 'chaos',
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [{ type: 'BODY', text: 'Hello {{1}}', example: { body_text: [['Ann']] } }],
};

const error = (code, message) => ({ error: { message, type: 'OAuthException', code, fbtrace_id: 'chaos' } });
const now = () => String(Math.floor(Date.now() / 1000));
