import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  changeProfile,
  createTemplate,
  editTemplate,
  listTemplates,
  readProfile,
  removeTemplates,
} from './business-account.js';
import { MediaStub } from './media.js';
import { checkMessage, type StubTemplate } from './message-rules.js';
import { invalidParameter, MetaRefusal, missingObject } from './meta-error.js';

export interface AcceptedMessage {
  /** `wamid.…` */
  id: string;
  phoneNumberId: string;
  /** Digits. */
  to: string;
  body: Record<string, unknown>;
  /** By `performance.now()`. */
  acceptedAt: number;
}

/** With `accepted-and-…`, the stub accepts the message before it cuts the connection or stops responding. */
export type Fault =
  | MetaRefusal
  | 'silence'
  | 'cut'
  | 'accepted-and-cut'
  | 'accepted-and-silence'
  | { status: number; text: string };

const VERSIONS = ['v24.0', 'v25.0', 'v26.0'];

/** A stub of Meta's Cloud API that validates requests and responds as Meta documents. */
export class CloudApi {
  readonly token = `EAA${randomBytes(20).toString('hex')}`;
  readonly appId = '670843887433847';
  readonly appSecret = randomBytes(16).toString('hex');
  readonly businessAccountId = '102290129340398';
  /** Phone numbers by Meta's phone number ID. */
  readonly numbers = new Map([['106540352242922', '15550783881']]);
  readonly tokens = new Set([this.token]);
  scopes = ['whatsapp_business_management', 'whatsapp_business_messaging'];
  subscribedApps = [this.appId];
  subscription: { callback_url: string; fields: string[] } | null = null;
  readonly templates: StubTemplate[] = [];
  readonly accepted: AcceptedMessage[] = [];
  /** Maps a recipient to the `wa_id` that the stub returns, if the two differ. */
  readonly differentNumbers = new Map<string, string>();
  /** By handle. */
  readonly examples = new Map<string, { type: string; data: Buffer }>();
  readonly #uploads = new Map<string, { type: string; length: number }>();
  readonly media = new MediaStub();
  /** By phone number ID. */
  readonly profiles = new Map<string, Record<string, unknown>>();
  readonly readReceipts: Record<string, unknown>[] = [];
  /** Method and path of each request, without the API version. */
  readonly requests: string[] = [];
  /** Returns the fault for a message, or null to accept the message. */
  fault: (body: Record<string, unknown>) => Fault | null = () => null;
  beforeAnswer: (message: AcceptedMessage) => Promise<void> = async () => undefined;
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response));
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts the stub, which keeps its port when it is restarted. */
  async start(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  get settings() {
    return {
      accessToken: this.token,
      appSecret: this.appSecret,
      verifyToken: 'a word of our own',
      businessAccountId: this.businessAccountId,
      baseUrl: this.url,
    };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const file = this.media.respondToDownload(request, this.tokens);
    if (file) return void response.writeHead(file.status, file.headers).end(file.bytes);
    try {
      const acceptedCount = this.accepted.length;
      const result = this.#route(request, Buffer.concat(chunks));
      for (const message of this.accepted.slice(acceptedCount)) await this.beforeAnswer(message);
      if (result === 'silence') return;
      if (result === 'cut') request.socket.destroy();
      else send(response, result.status, JSON.stringify(result.body));
    } catch (error) {
      if (error instanceof MetaRefusal) send(response, error.status, JSON.stringify(error.body), error.headers);
      else if (error instanceof RawResponse) send(response, error.status, error.text, { 'content-type': 'text/html' });
      else send(response, 500, JSON.stringify({ error: { code: 1, message: String(error) } }));
    }
  }

  #route(request: IncomingMessage, body: Buffer): { status: number; body: object } | 'silence' | 'cut' {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stub');
    const [version = '', id = '', edge, ...more] = pathname.split('/').slice(1);
    this.requests.push(`${request.method} ${[id, edge, ...more].filter((part) => part !== undefined).join('/')}`);
    if (!VERSIONS.includes(version)) throw new MetaRefusal(2500, `Unknown path components: /${version}`);
    const scheme = id.startsWith('upload:') ? /^OAuth (\S+)$/ : /^Bearer (\S+)$/;
    const token = scheme.exec(request.headers.authorization ?? '')?.[1] ?? searchParams.get('access_token');
    const isAppToken = token === `${this.appId}|${this.appSecret}`;
    if (!token || (!this.tokens.has(token) && !isAppToken)) {
      throw new MetaRefusal(190, `Malformed access token ${token}`, { status: 401 });
    }
    const proof = searchParams.get('appsecret_proof');
    if (proof !== null && proof !== createHmac('sha256', this.appSecret).update(token).digest('hex')) {
      throw new MetaRefusal(100, 'Invalid appsecret_proof provided in the API argument');
    }
    const success = (payload: object) => ({ status: 200, body: payload });
    const parseBody = () => parseObject(body);
    const route = `${request.method} ${edge ?? ''}`.trim();
    if (id === 'debug_token') return success({ data: this.#debugToken(searchParams.get('input_token') ?? '') });
    if (id === this.appId && route === 'GET subscriptions') {
      if (!isAppToken) throw new MetaRefusal(15, 'This method must be called with an app access_token.');
      const list = this.subscription
        ? [{ object: 'whatsapp_business_account', active: true, ...this.#describeSubscription() }]
        : [];
      return success({ data: list });
    }
    if (id === this.appId && route === 'POST uploads') return success(this.#startUpload(searchParams));
    if (id.startsWith('upload:')) return success(this.#finishUpload(id, request.headers.file_offset, body));
    if (this.numbers.has(id)) {
      if (route === 'POST messages') return this.#acceptMessage(id, parseBody());
      if (route === 'POST media') return success(this.media.upload(id, request, body));
      if (route === 'GET') return success(this.#describeNumber(id));
      if (route === 'GET whatsapp_business_profile') return success(readProfile(this.profiles.get(id), searchParams));
      if (route === 'POST whatsapp_business_profile') return success(changeProfile(this.profiles, id, parseBody()));
    }
    if (id === this.businessAccountId) {
      if (route === 'GET') return success({ id });
      if (route === 'GET phone_numbers')
        return success({ data: [...this.numbers.keys()].map((numberId) => this.#describeNumber(numberId)) });
      if (route === 'GET subscribed_apps') {
        return success({
          data: this.subscribedApps.map((appId) => ({ whatsapp_business_api_data: { id: appId, name: 'app' } })),
        });
      }
      if (route === 'GET message_templates') return success(listTemplates(this.templates, searchParams, this.url));
      if (route === 'POST message_templates') return success(createTemplate(this.templates, parseBody()));
      if (route === 'DELETE message_templates') return success(removeTemplates(this.templates, searchParams));
    }
    if (route === 'GET' && this.media.has(id)) return success(this.media.describe(id, this.url));
    const template = this.templates.find((candidate) => candidate.id === id);
    if (template && route === 'POST') return success(editTemplate(template, parseBody()));
    throw missingObject(id);
  }

  #acceptMessage(
    phoneNumberId: string,
    body: Record<string, unknown>,
  ): { status: number; body: object } | 'silence' | 'cut' {
    const fault = this.fault(body);
    if (fault instanceof MetaRefusal) throw fault;
    if (fault === 'silence' || fault === 'cut') return fault;
    if (fault !== null && typeof fault === 'object') throw new RawResponse(fault.status, fault.text);
    if (body.status === 'read') {
      this.readReceipts.push(body);
      return { status: 200, body: { success: true } };
    }
    const to = checkMessage(body, this.templates);
    this.media.check(body);
    const id = `wamid.${randomBytes(24).toString('base64')}`;
    this.accepted.push({ id, phoneNumberId, to, body, acceptedAt: performance.now() });
    if (fault === 'accepted-and-silence') return 'silence';
    if (fault === 'accepted-and-cut') return 'cut';
    const contacts = [{ input: String(body.to), wa_id: this.differentNumbers.get(to) ?? to }];
    return {
      status: 200,
      body: { messaging_product: 'whatsapp', contacts, messages: [{ id, message_status: 'accepted' }] },
    };
  }

  #startUpload(query: URLSearchParams): object {
    const [type, length] = [query.get('file_type') ?? '', Number(query.get('file_length'))];
    if (!['image/jpeg', 'image/png', 'video/mp4', 'application/pdf'].includes(type))
      throw invalidParameter('file_type');
    const id = `upload:${randomBytes(9).toString('base64url')}`;
    this.#uploads.set(id, { type, length });
    return { id: `${id}?sig=${randomBytes(6).toString('hex')}` };
  }

  #finishUpload(id: string, offset: unknown, data: Buffer): object {
    const upload = this.#uploads.get(id);
    if (!upload || offset !== '0' || data.length !== upload.length) throw invalidParameter('upload');
    const handle = `4::${Buffer.from(upload.type).toString('base64')}:${randomBytes(6).toString('hex')}`;
    this.examples.set(handle, { type: upload.type, data });
    return { h: handle };
  }

  #describeNumber(id: string): object {
    const digits = this.numbers.get(id) as string;
    return {
      id,
      display_phone_number: `+${digits.slice(0, 1)} ${digits.slice(1, 4)}-${digits.slice(4, 7)}-${digits.slice(7)}`,
      verified_name: 'Jasper’s Market',
      status: 'CONNECTED',
      quality_rating: 'GREEN',
    };
  }

  #debugToken(inspected: string): object {
    const { appId: app_id, scopes } = this;
    return this.tokens.has(inspected) ? { app_id, is_valid: true, expires_at: 0, scopes } : { is_valid: false };
  }

  #describeSubscription(): object {
    const { callback_url, fields } = this.subscription ?? { callback_url: '', fields: [] };
    return { callback_url, fields: fields.map((name) => ({ name, version: 'v26.0' })) };
  }
}

class RawResponse extends Error {
  readonly status: number;
  readonly text: string;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
    this.text = text;
  }
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
  } catch {
    throw new MetaRefusal(100, 'The request body is not JSON');
  }
}

function send(response: ServerResponse, status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers });
  response.end(text);
}
