import { createHmac } from 'node:crypto';
import { buildCallbackPrefix } from '../callbacks/prefix.js';
import type { CarrierContext, CheckedChannel, CheckStep } from '../carrier-type.js';
import { NoResponseError } from '../http/client.js';
import { readMetaError, TOKEN_REFUSED, toRefusal } from './send/errors.js';
import { type GraphAnswer, GraphClient } from './send/graph-client.js';
import { type CloudSettings, WHATSAPP_CLOUD } from './settings.js';

const SCOPES = ['whatsapp_business_messaging', 'whatsapp_business_management'];
const MESSAGES_FIELD = 'messages';

type Json = Readonly<Record<string, unknown>>;

type CallResult =
  | { body: Json; problem: null }
  | { body: null; problem: string; code: number | null; isUnreachable: boolean };

/** Checks a carrier, and stops at the first problem, because later steps would only repeat the problem. */
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
  const check = new CloudCheck(client, settings, name);
  try {
    for await (const step of check.steps(channels)) {
      yield step;
      if (step.problem !== null) return;
    }
  } finally {
    await client.close();
  }
}

class CloudCheck {
  readonly #client: GraphClient;
  readonly #settings: CloudSettings;
  readonly #name: string;
  #appId: string | null = null;

  constructor(client: GraphClient, settings: CloudSettings, name: string) {
    this.#client = client;
    this.#settings = settings;
    this.#name = name;
  }

  async *steps(channels: readonly CheckedChannel[]): AsyncIterable<CheckStep> {
    yield await this.#checkToken();
    yield await this.#checkAppSecret();
    if (channels.length === 0) {
      yield {
        what: 'find a channel',
        problem: 'no channel uses this carrier; create one with heliograph channel create',
      };
      return;
    }
    for (const channel of channels) {
      yield await this.#checkNumber(channel);
      const businessAccountId = channel.settings?.businessAccountId ?? this.#settings.businessAccountId;
      if (typeof businessAccountId !== 'string') {
        const problem = 'neither the carrier nor the channel has a businessAccountId, so templates cannot be used';
        yield { what: `business account of ${channel.phoneNumber}`, problem, setting: 'businessAccountId' };
        return;
      }
      yield await this.#checkNumberInAccount(businessAccountId, channel);
      yield await this.#checkSubscription(businessAccountId);
    }
    yield await this.#checkCallbackUrl();
  }

  async #checkToken(): Promise<CheckStep> {
    const step = `reach ${this.#settings.baseUrl} and use the access token`;
    const result = await this.#get('debug_token', { input_token: this.#settings.accessToken });
    if (result.body === null) {
      if (result.isUnreachable) return { what: step, problem: result.problem, setting: 'baseUrl' };
      if (result.code === 2500) return { what: step, problem: result.problem, setting: 'apiVersion' };
      if (result.code === 0 || result.code === 190)
        return { what: step, problem: TOKEN_REFUSED, setting: 'accessToken' };
      // Other error codes are not a problem, because some tokens may not inspect themselves.
      return result.code === null
        ? { what: step, problem: result.problem, setting: 'baseUrl' }
        : { what: step, problem: null };
    }
    const data = (result.body.data ?? {}) as Json;
    if (data.is_valid === false) return { what: step, problem: TOKEN_REFUSED, setting: 'accessToken' };
    if (typeof data.app_id === 'string') this.#appId = data.app_id;
    const scopes = Array.isArray(data.scopes) ? (data.scopes as unknown[]) : SCOPES;
    const missing = SCOPES.filter((scope) => !scopes.includes(scope));
    if (missing.length > 0) {
      return { what: step, problem: `the token lacks the permission ${missing.join(' and ')}`, setting: 'accessToken' };
    }
    const expiresAt = typeof data.expires_at === 'number' ? data.expires_at : 0;
    if (expiresAt === 0) return { what: step, problem: null };
    const expiryText = new Date(expiresAt * 1000).toISOString();
    return { what: `${step} (it expires at ${expiryText}; tokens of system users do not expire)`, problem: null };
  }

  /** Meta rejects an `appsecret_proof` made with another app's secret. */
  async #checkAppSecret(): Promise<CheckStep> {
    const step = 'verify the app secret';
    const proof = createHmac('sha256', this.#settings.appSecret).update(this.#settings.accessToken).digest('hex');
    const result = await this.#get('debug_token', { input_token: this.#settings.accessToken, appsecret_proof: proof });
    const isRefused = result.body === null && result.code === 100 && result.problem.includes('appsecret_proof');
    return isRefused
      ? { what: step, problem: 'this is not the secret of the app that the token belongs to', setting: 'appSecret' }
      : { what: step, problem: null };
  }

  async #checkNumber({ phoneNumber, settings }: CheckedChannel): Promise<CheckStep> {
    const step = `find the number ${phoneNumber}`;
    const setting = 'phoneNumberId';
    const id = settings?.phoneNumberId;
    if (typeof id !== 'string') return { what: step, problem: 'the channel has no phoneNumberId', setting };
    const result = await this.#get(id, { fields: 'display_phone_number,status' });
    if (result.body === null) return { what: step, problem: `phoneNumberId ${id}: ${result.problem}`, setting };
    const digits = String(result.body.display_phone_number ?? '').replace(/\D/g, '');
    if (digits !== phoneNumber) {
      const problem = digits
        ? `phoneNumberId ${id} is the number ${digits}, not ${phoneNumber}`
        : `phoneNumberId ${id} is not a phone number; it may be the ID of the business account`;
      return { what: step, problem, setting };
    }
    const { status } = result.body;
    if (typeof status === 'string' && status !== 'CONNECTED') {
      return {
        what: step,
        problem: `Meta reports its status as ${status}; register the number with the Cloud API first`,
      };
    }
    return { what: step, problem: null };
  }

  async #checkNumberInAccount(businessAccountId: string, channel: CheckedChannel): Promise<CheckStep> {
    const step = `find the number in the business account ${businessAccountId}`;
    const setting = 'businessAccountId';
    const id = channel.settings?.phoneNumberId;
    let query: Record<string, string> = { fields: 'id', limit: '100' };
    for (;;) {
      const result = await this.#get(`${businessAccountId}/phone_numbers`, query);
      if (result.body === null) return { what: step, problem: result.problem, setting };
      if (listEntries(result.body).some((entry) => entry.id === id)) return { what: step, problem: null };
      const { next, cursors } = (result.body.paging ?? {}) as { next?: unknown; cursors?: { after?: string } };
      const after = cursors?.after;
      if (next === undefined || !after || after === query.after) break;
      query = { ...query, after };
    }
    return { what: step, problem: `the account has no number with the ID ${id}`, setting };
  }

  async #checkSubscription(businessAccountId: string): Promise<CheckStep> {
    const step = `check that the app receives webhooks of the account ${businessAccountId}`;
    const result = await this.#get(`${businessAccountId}/subscribed_apps`, {});
    if (result.body === null) return { what: step, problem: result.problem };
    const apps = listEntries(result.body).map((entry) =>
      String((entry.whatsapp_business_api_data as Json | undefined)?.id),
    );
    if (this.#appId === null ? apps.length > 0 : apps.includes(this.#appId)) return { what: step, problem: null };
    return {
      what: step,
      problem: `the app is not subscribed; subscribe it with POST /${businessAccountId}/subscribed_apps`,
    };
  }

  /** Checks the callback URL with an app token, which consists of the app's ID and secret. */
  async #checkCallbackUrl(): Promise<CheckStep> {
    const path = `${buildCallbackPrefix(WHATSAPP_CLOUD)}/${this.#name}`;
    const step = `check that webhooks are sent to ${path}`;
    if (this.#appId === null) return { what: `${step} (Meta does not say)`, problem: null };
    const token = `${this.#appId}|${this.#settings.appSecret}`;
    const result = await this.#get(`${this.#appId}/subscriptions`, {}, token);
    if (result.body === null) {
      return { what: step, problem: `the app secret was refused: ${result.problem}`, setting: 'appSecret' };
    }
    const subscription = listEntries(result.body).find(({ object }) => object === 'whatsapp_business_account');
    const url = String(subscription?.callback_url ?? '');
    if (!subscription)
      return { what: step, problem: 'the app has no webhook for whatsapp_business_account', setting: 'verifyToken' };
    if (!URL.canParse(url) || new URL(url).pathname !== path) {
      return { what: step, problem: `the app's callback URL is ${url}; its path must be ${path}` };
    }
    const fields = Array.isArray(subscription.fields) ? (subscription.fields as Json[]).map(({ name }) => name) : [];
    if (fields.includes(MESSAGES_FIELD)) return { what: step, problem: null };
    return { what: step, problem: `the app's webhook is not subscribed to the field ${MESSAGES_FIELD}` };
  }

  async #get(path: string, query: Record<string, string>, token = this.#settings.accessToken): Promise<CallResult> {
    let answer: GraphAnswer;
    try {
      answer = await this.#client.call({ method: 'GET', path, query, token });
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error;
      return { body: null, problem: error.message, code: null, isUnreachable: true };
    }
    if (answer.status >= 200 && answer.status < 300 && answer.body) return { body: answer.body, problem: null };
    const { message } = toRefusal(answer).error;
    return { body: null, problem: message, code: readMetaError(answer)?.code ?? null, isUnreachable: false };
  }
}

function listEntries(body: Json): Json[] {
  return Array.isArray(body.data) ? (body.data as Json[]) : [];
}
