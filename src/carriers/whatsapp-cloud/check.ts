import { createHmac } from 'node:crypto';
import { callbackPrefix } from '../callbacks/prefix.js';
import type { CarrierContext, CheckedChannel, CheckStep } from '../carrier-type.js';
import { NoAnswer } from '../http/client.js';
import { metaErrorOf, refusalOf, TOKEN_REFUSED } from './send/errors.js';
import { type GraphAnswer, GraphClient } from './send/graph-client.js';
import { type CloudSettings, WHATSAPP_CLOUD } from './settings.js';

const SCOPES = ['whatsapp_business_messaging', 'whatsapp_business_management'];
/** The field of the webhook that carries messages and statuses. */
const FIELD = 'messages';

type Json = Readonly<Record<string, unknown>>;

/** What a question to Meta found: an answer, or a problem. */
type Found = { body: Json; problem: null } | { body: null; problem: string; code: number | null; unreachable: boolean };

/**
 * Tries out what can be tried without sending a message: token, app secret, numbers, business accounts, and whether the
 * app gets their webhooks. The first problem ends it, for what follows would only repeat it.
 */
export async function* checkCloud(
  {
    name,
    settings,
    calls,
    privateHosts = [],
  }: Pick<CarrierContext<CloudSettings>, 'name' | 'settings' | 'calls' | 'privateHosts'>,
  channels: readonly CheckedChannel[],
): AsyncIterable<CheckStep> {
  const client = new GraphClient({
    baseUrl: settings.baseUrl,
    version: settings.apiVersion,
    timeoutMs: settings.timeoutMs,
    calls,
    privateHosts,
  });
  const check = new Check(client, settings, name);
  try {
    for await (const step of check.steps(channels)) {
      yield step;
      if (step.problem !== null) return;
    }
  } finally {
    await client.close();
  }
}

class Check {
  readonly #client: GraphClient;
  readonly #settings: CloudSettings;
  readonly #name: string;
  /** Id of the app that the token belongs to; null where Meta does not tell. */
  #appId: string | null = null;

  constructor(client: GraphClient, settings: CloudSettings, name: string) {
    this.#client = client;
    this.#settings = settings;
    this.#name = name;
  }

  async *steps(channels: readonly CheckedChannel[]): AsyncIterable<CheckStep> {
    yield await this.#token();
    yield await this.#appSecret();
    if (channels.length === 0) {
      yield {
        what: 'find a channel',
        problem: 'no channel names this carrier: make one with heliograph channel create',
      };
      return;
    }
    for (const channel of channels) {
      yield await this.#number(channel);
      const account = channel.settings?.businessAccountId ?? this.#settings.businessAccountId;
      if (typeof account !== 'string') {
        const problem = 'neither the carrier nor the channel names one: its templates cannot be used';
        yield { what: `business account of ${channel.phoneNumber}`, problem, setting: 'businessAccountId' };
        return;
      }
      yield await this.#accountHas(account, channel);
      yield await this.#subscribed(account);
    }
    yield await this.#callback();
  }

  async #token(): Promise<CheckStep> {
    const what = `reach ${this.#settings.baseUrl} and use the access token`;
    const found = await this.#get('debug_token', { input_token: this.#settings.accessToken });
    if (found.body === null) {
      if (found.unreachable) return { what, problem: found.problem, setting: 'baseUrl' };
      if (found.code === 2500) return { what, problem: found.problem, setting: 'apiVersion' };
      if (found.code === 0 || found.code === 190) return { what, problem: TOKEN_REFUSED, setting: 'accessToken' };
      // Not every token may look at itself; what it may do shows in the steps that follow.
      return found.code === null ? { what, problem: found.problem, setting: 'baseUrl' } : { what, problem: null };
    }
    const data = (found.body.data ?? {}) as Json;
    if (data.is_valid === false) return { what, problem: TOKEN_REFUSED, setting: 'accessToken' };
    if (typeof data.app_id === 'string') this.#appId = data.app_id;
    const scopes = Array.isArray(data.scopes) ? (data.scopes as unknown[]) : SCOPES;
    const missing = SCOPES.filter((scope) => !scopes.includes(scope));
    if (missing.length > 0) {
      return { what, problem: `the token lacks the permission ${missing.join(' and ')}`, setting: 'accessToken' };
    }
    const until = typeof data.expires_at === 'number' ? data.expires_at : 0;
    if (until === 0) return { what, problem: null };
    const day = new Date(until * 1000).toISOString();
    return { what: `${what} (it expires at ${day}: a token of a system user would not)`, problem: null };
  }

  /** Meta refuses a proof that was made with another secret than the app's own. */
  async #appSecret(): Promise<CheckStep> {
    const what = 'prove the app secret';
    const proof = createHmac('sha256', this.#settings.appSecret).update(this.#settings.accessToken).digest('hex');
    const found = await this.#get('debug_token', { input_token: this.#settings.accessToken, appsecret_proof: proof });
    const refused = found.body === null && found.code === 100 && found.problem.includes('appsecret_proof');
    return refused
      ? { what, problem: 'it is not the secret of the app that the token belongs to', setting: 'appSecret' }
      : { what, problem: null };
  }

  async #number({ phoneNumber, settings }: CheckedChannel): Promise<CheckStep> {
    const what = `find the number ${phoneNumber}`;
    const setting = 'phoneNumberId';
    const id = settings?.phoneNumberId;
    if (typeof id !== 'string') return { what, problem: 'the channel has no phoneNumberId', setting };
    const found = await this.#get(id, { fields: 'display_phone_number,status' });
    if (found.body === null) return { what, problem: `phoneNumberId ${id}: ${found.problem}`, setting };
    const digits = String(found.body.display_phone_number ?? '').replace(/\D/g, '');
    if (digits !== phoneNumber) {
      const problem = digits
        ? `phoneNumberId ${id} is the number ${digits}, not ${phoneNumber}`
        : `phoneNumberId ${id} is no phone number (is it the id of the business account?)`;
      return { what, problem, setting };
    }
    const { status } = found.body;
    if (typeof status === 'string' && status !== 'CONNECTED') {
      return {
        what,
        problem: `Meta says that its status is ${status}: it must be registered with the Cloud API first`,
      };
    }
    return { what, problem: null };
  }

  async #accountHas(account: string, channel: CheckedChannel): Promise<CheckStep> {
    const what = `find the number in the business account ${account}`;
    const setting = 'businessAccountId';
    const id = channel.settings?.phoneNumberId;
    let query: Record<string, string> = { fields: 'id', limit: '100' };
    for (;;) {
      const found = await this.#get(`${account}/phone_numbers`, query);
      if (found.body === null) return { what, problem: found.problem, setting };
      if (entries(found.body).some((each) => each.id === id)) return { what, problem: null };
      const { next, cursors } = (found.body.paging ?? {}) as { next?: unknown; cursors?: { after?: string } };
      const after = cursors?.after;
      if (next === undefined || !after || after === query.after) break;
      query = { ...query, after };
    }
    return { what, problem: `the account has no number with the id ${id}`, setting };
  }

  async #subscribed(account: string): Promise<CheckStep> {
    const what = `see whether the app gets the webhooks of the account ${account}`;
    const found = await this.#get(`${account}/subscribed_apps`, {});
    if (found.body === null) return { what, problem: found.problem };
    const apps = entries(found.body).map((each) => String((each.whatsapp_business_api_data as Json | undefined)?.id));
    if (this.#appId === null ? apps.length > 0 : apps.includes(this.#appId)) return { what, problem: null };
    return { what, problem: `it does not: POST /${account}/subscribed_apps subscribes it` };
  }

  /** Where the app's webhooks go. Only the app itself may ask, which takes its id and its secret. */
  async #callback(): Promise<CheckStep> {
    const path = `${callbackPrefix(WHATSAPP_CLOUD)}/${this.#name}`;
    const what = `see whether webhooks go to ${path}`;
    if (this.#appId === null) return { what: `${what} (Meta does not tell)`, problem: null };
    const token = `${this.#appId}|${this.#settings.appSecret}`;
    const found = await this.#get(`${this.#appId}/subscriptions`, {}, token);
    if (found.body === null) {
      return { what, problem: `the app secret was refused: ${found.problem}`, setting: 'appSecret' };
    }
    const own = entries(found.body).find(({ object }) => object === 'whatsapp_business_account');
    const url = String(own?.callback_url ?? '');
    if (!own) return { what, problem: 'the app has no webhook for whatsapp_business_account', setting: 'verifyToken' };
    if (!URL.canParse(url) || new URL(url).pathname !== path) {
      return { what, problem: `the app's callback URL is ${url}; its path must be ${path}` };
    }
    const fields = Array.isArray(own.fields) ? (own.fields as Json[]).map(({ name }) => name) : [];
    if (fields.includes(FIELD)) return { what, problem: null };
    return { what, problem: `the app's webhook is not subscribed to the field ${FIELD}` };
  }

  async #get(path: string, query: Record<string, string>, token = this.#settings.accessToken): Promise<Found> {
    let answer: GraphAnswer;
    try {
      answer = await this.#client.call({ method: 'GET', path, query, token });
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return { body: null, problem: error.message, code: null, unreachable: true };
    }
    if (answer.status >= 200 && answer.status < 300 && answer.body) return { body: answer.body, problem: null };
    const { message } = refusalOf(answer).error;
    return { body: null, problem: message, code: metaErrorOf(answer)?.code ?? null, unreachable: false };
  }
}

function entries(body: Json): Json[] {
  return Array.isArray(body.data) ? (body.data as Json[]) : [];
}
