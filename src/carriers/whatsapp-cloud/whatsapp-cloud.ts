import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.js';
import { isOver } from '../../platform/deadline.js';
import type { TemplateStatus } from '../../platform/generated/prisma/client.js';
import type { BusinessProfile, ProfileChange } from '../business-profile.js';
import { isSameSecret } from '../callbacks/same-secret.js';
import type { Carrier, CarrierChannel, CarrierSinks, CarrierState, OutboundMessage, Submission } from '../carrier.js';
import { CarrierError } from '../carrier-error.js';
import type { CarrierContext } from '../carrier-type.js';
import { requestUnlessWithheld } from '../departure.js';
import { CONNECTIONS } from '../http/client.js';
import { unanswered } from '../http/errors.js';
import { Pace } from '../http/pace.js';
import { Pauses } from '../http/pauses.js';
import { Slots } from '../http/slots.js';
import { UnderWay } from '../http/under-way.js';
import type { FetchedMedia } from '../media/carrier-media.js';
import type { CarrierTemplate, TemplateChannel, TemplateDraft, TemplateEdit, TemplateExample } from '../templates.js';
import { isSignedBy } from './callbacks/signature.js';
import { idsOf } from './callbacks/stops.js';
import { uploadExample } from './examples.js';
import { changeProfile, readProfile } from './profile.js';
import { CloudMedia, UploadRefused } from './send/cloud-media.js';
import {
  type ErrorScope,
  metaErrorOf,
  refusalOf,
  retryAfterMsOf,
  STOPPED,
  STOPPED_CATEGORY,
  TOKEN_REFUSED,
} from './send/errors.js';
import { type GraphAnswer, type GraphCall, GraphClient } from './send/graph-client.js';
import { PausedChannels } from './send/paused-channels.js';
import { requestBody } from './send/request-body.js';
import { messageIdOf, otherNumberOf } from './send/taken.js';
import { TOKEN_REFUSED_HEALTH, TokenGuard } from './send/token-guard.js';
import { businessAccountIdOf, type CloudSettings, phoneNumberIdOf, WHATSAPP_CLOUD } from './settings.js';
import { findTemplateId, readTemplates, templateBody, templateStatus } from './templates.js';

/** How long a message waits while the token is refused, unless the token is replaced before. */
const TOKEN_PAUSE_MS = 30_000;
/** Key of the pause of everything. */
const ALL = '';

/** A WhatsApp number, or several, of one app at Meta. Messages go out by the Cloud API, what comes back by webhooks. */
export class WhatsappCloud implements Carrier {
  readonly name: string;
  readonly type = WHATSAPP_CLOUD;
  readonly ratePerSecond: number;
  readonly needsReferences = true;
  readonly #settings: CloudSettings;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #client: GraphClient;
  readonly #media: CloudMedia;
  readonly #paces = new Map<string, Pace>();
  /** Too many messages to one recipient: Meta asks to wait 4^n seconds after the nth error ("Pair rate limits"). */
  readonly #pairs = new Pauses({ firstMs: 4_000, factor: 4, longestMs: 300_000 });
  readonly #numbers = new Pauses({ firstMs: 1_000, factor: 2, longestMs: 60_000 });
  readonly #everything = new Pauses({ firstMs: 15_000, factor: 2, longestMs: 300_000 });
  /** As many as the client has connections: a request beyond them would wait where nothing checks it any more. */
  readonly #slots = new Slots(CONNECTIONS);
  readonly #underWay = new UnderWay();
  #guard: TokenGuard | null = null;
  #pausedChannels: PausedChannels | null = null;
  #sameNumber: CarrierSinks['sameNumber'] = async () => undefined;
  #sinks: Pick<CarrierSinks, 'channels' | 'preference'> | null = null;
  #closed = false;

  constructor({ name, settings, log, clock, calls, privateHosts = [] }: CarrierContext<CloudSettings>) {
    this.name = name;
    this.ratePerSecond = settings.ratePerSecond;
    this.#settings = settings;
    this.#log = log;
    this.#clock = clock;
    this.#client = new GraphClient({
      baseUrl: settings.baseUrl,
      version: settings.apiVersion,
      timeoutMs: settings.timeoutMs,
      calls,
      privateHosts,
    });
    const { baseUrl, accessToken: token } = settings;
    this.#media = new CloudMedia({ client: this.#client, clock, carrier: name, baseUrl, token });
  }

  state(): CarrierState {
    if (this.#guard?.refused) return { up: false, reason: TOKEN_REFUSED };
    const left = this.#everything.left(ALL);
    if (left > 0)
      return {
        up: false,
        until: new Date(this.#clock.now().getTime() + left),
        reason: 'Meta limits the calls of the app.',
      };
    return { up: true };
  }

  submit(message: OutboundMessage, signal: AbortSignal): Promise<Submission> {
    return this.#underWay.run(this.#submit(message, signal));
  }

  async start({ health, channels, pause, media, sameNumber, preference }: CarrierSinks): Promise<void> {
    this.#sameNumber = sameNumber;
    this.#sinks = { channels, ...(preference && { preference }) };
    this.#media.start(media);
    this.#pausedChannels = new PausedChannels({ log: this.#log, pause });
    this.#guard = new TokenGuard({
      log: this.#log,
      works: (phoneNumberId) => this.#tokenWorks(phoneNumberId),
      health,
    });
    try {
      this.#guard.inherit((await channels(this.name)).flatMap(refusedBefore));
    } catch (error) {
      // Their health stays what it was until one of them sends.
      this.#log.warn({ err: error }, 'the channels of a carrier could not be read');
    }
  }

  async createTemplate(channel: TemplateChannel, template: TemplateDraft): Promise<{ status: TemplateStatus }> {
    const answer = await this.#ask({ method: 'POST', path: this.#templates(channel), body: templateBody(template) });
    return { status: templateStatus(answer.status ?? 'PENDING') };
  }

  async editTemplate(channel: TemplateChannel, { category, components, ...key }: TemplateEdit): Promise<void> {
    const id = await findTemplateId((query) => this.#page(channel, query), key);
    if (id === null) throw CarrierError.refused('NO_TEMPLATE', 'Meta has no such template.');
    await this.#ask({ method: 'POST', path: id, body: { components, ...(category !== null && { category }) } });
  }

  async deleteTemplate(channel: TemplateChannel, key: { name: string; language: string }): Promise<void> {
    const id = await findTemplateId((query) => this.#page(channel, query), key);
    if (id === null) return;
    await this.#ask({ method: 'DELETE', path: this.#templates(channel), query: { hsm_id: id, name: key.name } });
  }

  async uploadExample(_channel: TemplateChannel, read: () => Promise<TemplateExample>): Promise<string> {
    return uploadExample((call) => this.#ask(call), this.#settings.accessToken, await read());
  }

  async listTemplates(channel: TemplateChannel): Promise<CarrierTemplate[]> {
    return readTemplates((query) => this.#page(channel, query));
  }

  /** Meta takes what is typed away after 25 seconds, or with the answer ("Typing indicators"). */
  async markRead(channel: TemplateChannel, messageId: string, { typing }: { typing: boolean }): Promise<void> {
    const read = { messaging_product: 'whatsapp', status: 'read', message_id: messageId };
    const body = { ...read, ...(typing && { typing_indicator: { type: 'text' } }) };
    await this.#ask({ method: 'POST', path: `${phoneNumberIdOf(channel.carrierSettings)}/messages`, body });
  }

  readProfile({ carrierSettings }: TemplateChannel): Promise<BusinessProfile> {
    return readProfile((call) => this.#ask(call), phoneNumberIdOf(carrierSettings));
  }

  changeProfile({ carrierSettings }: TemplateChannel, change: ProfileChange): Promise<void> {
    return changeProfile((call) => this.#ask(call), phoneNumberIdOf(carrierSettings), change);
  }

  fetchMedia(channel: TemplateChannel, carrierMediaId: string, signal: AbortSignal): Promise<FetchedMedia> {
    return this.#media.fetch(phoneNumberIdOf(channel.carrierSettings), carrierMediaId, signal);
  }

  #page(channel: TemplateChannel, query: Record<string, string>) {
    return this.#ask({ method: 'GET', path: this.#templates(channel), query });
  }

  #templates(channel: TemplateChannel): string {
    return `${businessAccountIdOf(channel.carrierSettings, this.#settings)}/message_templates`;
  }

  /** Whether a webhook is Meta's own; see `isSignedBy`. */
  isSigned(body: Uint8Array, signature: string): boolean {
    return isSignedBy(this.#settings.appSecret, body, signature);
  }

  /** Whether Meta's question for the handshake holds the word that the operator gave it. */
  isVerifiedBy(token: string): boolean {
    return isSameSecret(this.#settings.verifyToken, token);
  }

  async close(signal: AbortSignal): Promise<void> {
    this.#closed = true;
    // It may be asking Meta: the end of the client ends that too.
    const guarded = this.#underWay.run(this.#guard?.close() ?? Promise.resolve());
    await Promise.all([guarded, this.#underWay.end(signal, () => this.#client.close())]);
  }

  async #submit(message: OutboundMessage, signal: AbortSignal): Promise<Submission> {
    if (message.kind !== 'whatsapp') {
      throw CarrierError.refused('WRONG_KIND', 'This carrier takes WhatsApp messages only.');
    }
    const number = phoneNumberIdOf(message.channelSettings);
    const pair = `${number} ${message.to}`;
    this.#requireNoPause(message, number, pair);
    const ready = await this.#media.ready(message, number, signal).catch(async (error: unknown) => {
      if (!(error instanceof UploadRefused)) throw error;
      const refused = await this.#refused(error.answer, message, number, pair, error.askedAt);
      // The message itself has not left: nothing is lost but the copy.
      throw refused.with({ answerLost: false });
    });
    const requireOpen = () => {
      if (isOver(signal) || this.#closed) throw CarrierError.notSubmitted();
    };
    const turn = await this.#paceOf(number).turn(signal);
    if (!turn || !(await this.#slots.enter(signal))) throw CarrierError.notSubmitted();
    let askedAt: Date;
    let answer: GraphAnswer;
    try {
      requireOpen();
      this.#requireNoPause(message, number, pair);
      askedAt = this.#clock.now();
      const body = requestBody({ ...message, content: ready.content });
      const call = { path: `${number}/messages`, body, token: this.#settings.accessToken, messageId: message.id };
      answer = await requestUnlessWithheld(message.departure, requireOpen, (leaving) =>
        this.#client.call({ method: 'POST', ...call, leaving }),
      );
    } catch (error) {
      throw error instanceof CarrierError ? error : unanswered(error, 'Meta');
    } finally {
      this.#slots.leave();
    }
    if (answer.status < 200 || answer.status > 299) {
      // Without the copies that Meta may have lost, the second time says what is wrong.
      const code = metaErrorOf(answer)?.code ?? null;
      if (await this.#media.forgetIfGone(ready.reused, code, number)) return this.#submit(message, signal);
      throw await this.#refused(answer, message, number, pair, askedAt);
    }
    this.#pairs.succeeded(pair);
    this.#numbers.succeeded(number);
    this.#everything.succeeded(ALL);
    const carrierMessageId = messageIdOf(answer);
    this.#noteNumber(message, otherNumberOf(answer, message.to));
    return { carrierMessageId };
  }

  /** The message is taken, and waits for nothing of it. What is not noted is told again with the next one. */
  #noteNumber({ channelId, to: sentTo }: OutboundMessage, known: string | null): void {
    if (known === null || channelId === null) return;
    void this.#underWay.run(this.#sameNumber(channelId, { sentTo, known })).catch((error: unknown) => {
      this.#log.warn({ err: error, channelId }, 'the number by which Meta knows a recipient was not noted');
    });
  }

  #requireNoPause({ channelId }: OutboundMessage, number: string, pair: string): void {
    if (channelId) this.#pausedChannels?.require(channelId);
    if (this.#guard?.refused) {
      if (channelId) this.#guard.note(channelId, number);
      throw CarrierError.unavailable('190', TOKEN_REFUSED, { pauseMs: TOKEN_PAUSE_MS });
    }
    const all = this.#everything.left(ALL);
    if (all > 0) throw CarrierError.throttled(all, '80007', 'Meta limits the calls of the app at the moment.');
    const own = this.#numbers.left(number);
    if (own > 0) throw CarrierError.throttled(own, '130429', 'Meta limits what this number sends at the moment.');
    const toRecipient = this.#pairs.left(pair);
    if (toRecipient > 0) {
      throw CarrierError.throttled(toRecipient, '131056', 'Meta limits what this recipient gets from this number.');
    }
  }

  /** The error of an answer, after whatever it holds up has been held up. */
  async #refused(
    answer: GraphAnswer,
    message: OutboundMessage,
    number: string,
    pair: string,
    at: Date,
  ): Promise<CarrierError> {
    const { error, scope, health } = refusalOf(answer);
    const { channelId } = message;
    if (error.code === STOPPED) await this.#recordStop(message, at);
    const retryAfterMs = retryAfterMsOf(answer, this.#clock.now());
    if (health !== null) {
      if (channelId)
        await this.#pausedChannels?.begin(channelId, { health, code: error.code, reason: error.message, at });
      return error.with({ channelPaused: true });
    }
    const begin: Record<Exclude<ErrorScope, 'channel'>, () => number> = {
      message: () => (error.retryable ? (retryAfterMs ?? 0) : 0),
      pair: () => this.#pairs.begin(pair, retryAfterMs),
      number: () => this.#numbers.begin(number, retryAfterMs),
      carrier: () => this.#everything.begin(ALL, retryAfterMs),
      token: () => {
        if (channelId) this.#guard?.refuse(channelId, number);
        return TOKEN_PAUSE_MS;
      },
    };
    return error.with({ pauseMs: begin[scope as keyof typeof begin]() });
  }

  /** The recipient stopped marketing messages: an opt-out, as the field `user_preferences` of a webhook brings it. */
  async #recordStop({ channelId, to }: OutboundMessage, at: Date): Promise<void> {
    const { channels, preference } = this.#sinks ?? {};
    const ids = idsOf(to);
    if (!channels || !preference || channelId === null || ids === null) return;
    try {
      const channel = (await channels(this.name)).find(({ id }) => id === channelId);
      if (channel) await preference({ ...ids, channel, wantsNone: true, category: STOPPED_CATEGORY, at });
    } catch (error) {
      // Meta refuses the next marketing message too.
      this.#log.warn({ err: error, channelId }, 'an opt-out that Meta reported was not recorded');
    }
  }

  /** A call that is no send. @throws {CarrierError} for every answer but a success */
  async #ask(call: Omit<GraphCall, 'token'>): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.#client.call({ ...call, token: this.#settings.accessToken }).catch((error: unknown) => {
      throw unanswered(error, 'Meta');
    });
    if (answer.status < 200 || answer.status > 299) throw refusalOf(answer).error;
    if (!answer.body) throw CarrierError.refused('BAD_ANSWER', "The answer is not one of Meta's.", { retryable: true });
    return answer.body;
  }

  /** Any answer of Meta's but the refusal of the token says that it is taken. */
  async #tokenWorks(phoneNumberId: string): Promise<boolean> {
    const token = this.#settings.accessToken;
    const answer = await this.#client.call({ method: 'GET', path: phoneNumberId, query: { fields: 'id' }, token });
    if (answer.status >= 200 && answer.status < 300) return true;
    const error = metaErrorOf(answer);
    if (!error || answer.status >= 500) throw new Error(`the token could not be tried (HTTP status ${answer.status})`);
    return refusalOf(answer).scope !== 'token';
  }

  #paceOf(number: string): Pace {
    const known = this.#paces.get(number);
    if (known) return known;
    const pace = new Pace(this.#settings.ratePerSecond);
    this.#paces.set(number, pace);
    return pace;
  }
}

/** A channel whose health says that its token is refused: perhaps it was another one. */
function refusedBefore({ id, carrierSettings, healthStatus }: CarrierChannel): { id: string; phoneNumberId: string }[] {
  const phoneNumberId = carrierSettings?.phoneNumberId;
  return healthStatus === TOKEN_REFUSED_HEALTH && typeof phoneNumberId === 'string' ? [{ id, phoneNumberId }] : [];
}
