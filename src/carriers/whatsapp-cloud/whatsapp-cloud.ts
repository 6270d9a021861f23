import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.js';
import { isPastDeadline } from '../../platform/deadline.js';
import type { TemplateStatus } from '../../platform/generated/prisma/client.js';
import type { BusinessProfile, ProfileChange } from '../business-profile.js';
import { isSameSecret } from '../callbacks/same-secret.js';
import type { Carrier, CarrierChannel, CarrierSinks, CarrierState, OutboundMessage, Submission } from '../carrier.js';
import { CarrierError } from '../carrier-error.js';
import type { CarrierContext } from '../carrier-type.js';
import { requestUnlessWithheld } from '../departure.js';
import { MAX_CONNECTIONS } from '../http/client.js';
import { toCarrierError } from '../http/errors.js';
import { Pace } from '../http/pace.js';
import { Pauses } from '../http/pauses.js';
import { PendingWork } from '../http/pending-work.js';
import { Slots } from '../http/slots.js';
import type { FetchedMedia } from '../media/carrier-media.js';
import type { CarrierTemplate, TemplateChannel, TemplateDraft, TemplateEdit, TemplateExample } from '../templates.js';
import { parsePersonIds } from './callbacks/marketing-opt-outs.js';
import { hasValidSignature } from './callbacks/signature.js';
import { changeProfile, readProfile } from './profile.js';
import { CloudMedia, UploadRefused } from './send/cloud-media.js';
import {
  type ErrorScope,
  MARKETING_CATEGORY,
  MARKETING_STOPPED_CODE,
  readMetaError,
  readRetryDelayMs,
  TOKEN_REFUSED,
  toRefusal,
} from './send/errors.js';
import { type GraphAnswer, type GraphCall, GraphClient } from './send/graph-client.js';
import { PausedChannels } from './send/paused-channels.js';
import { buildRequestBody } from './send/request-body.js';
import { readDifferentNumber, readMessageId } from './send/send-response.js';
import { TOKEN_REFUSED_HEALTH, TokenGuard } from './send/token-guard.js';
import { type CloudSettings, requireBusinessAccountId, requirePhoneNumberId, WHATSAPP_CLOUD } from './settings.js';
import { uploadExample } from './template-example.js';
import { buildTemplateBody, fetchTemplates, findTemplateId, toTemplateStatus } from './templates.js';

const TOKEN_PAUSE_MS = 30_000;
const WHOLE_CARRIER = '';

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
  /** Meta asks senders to wait 4^n seconds after the nth error (Meta, "Pair rate limits"). */
  readonly #pairPauses = new Pauses({ firstMs: 4_000, factor: 4, longestMs: 300_000 });
  readonly #numberPauses = new Pauses({ firstMs: 1_000, factor: 2, longestMs: 60_000 });
  readonly #carrierPauses = new Pauses({ firstMs: 15_000, factor: 2, longestMs: 300_000 });
  /**
   * There is one slot per HTTP connection, because a request that waits inside the HTTP client could not be checked
   * again before it is sent.
   */
  readonly #slots = new Slots(MAX_CONNECTIONS);
  readonly #pendingWork = new PendingWork();
  #guard: TokenGuard | null = null;
  #pausedChannels: PausedChannels | null = null;
  #linkNumbers: CarrierSinks['linkNumbers'] = async () => undefined;
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
    if (this.#guard?.isRefused) return { up: false, reason: TOKEN_REFUSED };
    const remainingMs = this.#carrierPauses.remainingMs(WHOLE_CARRIER);
    if (remainingMs > 0)
      return {
        up: false,
        until: new Date(this.#clock.now().getTime() + remainingMs),
        reason: "Meta's call limit for the app is reached.",
      };
    return { up: true };
  }

  submit(message: OutboundMessage, signal: AbortSignal): Promise<Submission> {
    return this.#pendingWork.track(this.#submit(message, signal));
  }

  async start({ health, channels, pause, media, linkNumbers, preference }: CarrierSinks): Promise<void> {
    this.#linkNumbers = linkNumbers;
    this.#sinks = { channels, ...(preference && { preference }) };
    this.#media.start(media);
    this.#pausedChannels = new PausedChannels({ log: this.#log, pause });
    this.#guard = new TokenGuard({
      log: this.#log,
      isTokenAccepted: (phoneNumberId) => this.#isTokenAccepted(phoneNumberId),
      storeHealth: health,
    });
    try {
      this.#guard.adoptChannels((await channels(this.name)).flatMap(toTokenRefusedChannel));
    } catch (error) {
      // The stored health of each channel remains unchanged until the channel sends a message.
      this.#log.warn({ err: error }, 'the channels of the carrier could not be read');
    }
  }

  async createTemplate(channel: TemplateChannel, template: TemplateDraft): Promise<{ status: TemplateStatus }> {
    const answer = await this.#callMeta({
      method: 'POST',
      path: this.#templatesPath(channel),
      body: buildTemplateBody(template),
    });
    return { status: toTemplateStatus(answer.status ?? 'PENDING') };
  }

  async editTemplate(channel: TemplateChannel, { category, components, ...key }: TemplateEdit): Promise<void> {
    const id = await findTemplateId((query) => this.#fetchTemplatePage(channel, query), key);
    if (id === null) throw CarrierError.refused('NO_TEMPLATE', 'Meta has no such template.');
    await this.#callMeta({ method: 'POST', path: id, body: { components, ...(category !== null && { category }) } });
  }

  async deleteTemplate(channel: TemplateChannel, key: { name: string; language: string }): Promise<void> {
    const id = await findTemplateId((query) => this.#fetchTemplatePage(channel, query), key);
    if (id === null) return;
    await this.#callMeta({
      method: 'DELETE',
      path: this.#templatesPath(channel),
      query: { hsm_id: id, name: key.name },
    });
  }

  async uploadExample(_channel: TemplateChannel, read: () => Promise<TemplateExample>): Promise<string> {
    return uploadExample((call) => this.#callMeta(call), this.#settings.accessToken, await read());
  }

  async listTemplates(channel: TemplateChannel): Promise<CarrierTemplate[]> {
    return fetchTemplates((query) => this.#fetchTemplatePage(channel, query));
  }

  /** The typing indicator disappears after 25 seconds or when the business replies (Meta, "Typing indicators"). */
  async markRead(channel: TemplateChannel, messageId: string, { typing }: { typing: boolean }): Promise<void> {
    const readRequest = { messaging_product: 'whatsapp', status: 'read', message_id: messageId };
    const body = { ...readRequest, ...(typing && { typing_indicator: { type: 'text' } }) };
    await this.#callMeta({ method: 'POST', path: `${requirePhoneNumberId(channel.carrierSettings)}/messages`, body });
  }

  readProfile({ carrierSettings }: TemplateChannel): Promise<BusinessProfile> {
    return readProfile((call) => this.#callMeta(call), requirePhoneNumberId(carrierSettings));
  }

  changeProfile({ carrierSettings }: TemplateChannel, change: ProfileChange): Promise<void> {
    return changeProfile((call) => this.#callMeta(call), requirePhoneNumberId(carrierSettings), change);
  }

  fetchMedia(channel: TemplateChannel, carrierMediaId: string, signal: AbortSignal): Promise<FetchedMedia> {
    return this.#media.fetch(requirePhoneNumberId(channel.carrierSettings), carrierMediaId, signal);
  }

  #fetchTemplatePage(channel: TemplateChannel, query: Record<string, string>) {
    return this.#callMeta({ method: 'GET', path: this.#templatesPath(channel), query });
  }

  #templatesPath(channel: TemplateChannel): string {
    return `${requireBusinessAccountId(channel.carrierSettings, this.#settings)}/message_templates`;
  }

  hasValidSignature(body: Uint8Array, signature: string): boolean {
    return hasValidSignature(this.#settings.appSecret, body, signature);
  }

  isVerifyToken(token: string): boolean {
    return isSameSecret(this.#settings.verifyToken, token);
  }

  async close(signal: AbortSignal): Promise<void> {
    this.#closed = true;
    // If the token guard is calling Meta, closing the client ends its call.
    const guardClosed = this.#pendingWork.track(this.#guard?.close() ?? Promise.resolve());
    await Promise.all([guardClosed, this.#pendingWork.finish(signal, () => this.#client.close())]);
  }

  async #submit(message: OutboundMessage, signal: AbortSignal): Promise<Submission> {
    if (message.kind !== 'whatsapp') {
      throw CarrierError.refused('WRONG_KIND', 'This carrier only sends WhatsApp messages.');
    }
    const phoneNumberId = requirePhoneNumberId(message.channelSettings);
    const pair = `${phoneNumberId} ${message.to}`;
    this.#requireNoPause(message, phoneNumberId, pair);
    const prepared = await this.#media.prepare(message, phoneNumberId, signal).catch(async (error: unknown) => {
      if (!(error instanceof UploadRefused)) throw error;
      const refusal = await this.#handleRefusal(error.answer, message, phoneNumberId, pair, error.requestedAt);
      // The upload failed before the message was sent, so Meta cannot have accepted the message.
      throw refusal.with({ answerLost: false });
    });
    const requireOpen = () => {
      if (isPastDeadline(signal) || this.#closed) throw CarrierError.notSubmitted();
    };
    const hasTurn = await this.#paceForNumber(phoneNumberId).waitForTurn(signal);
    if (!hasTurn || !(await this.#slots.acquire(signal))) throw CarrierError.notSubmitted();
    let requestedAt: Date;
    let answer: GraphAnswer;
    try {
      requireOpen();
      this.#requireNoPause(message, phoneNumberId, pair);
      requestedAt = this.#clock.now();
      const body = buildRequestBody({ ...message, content: prepared.content });
      const call = {
        path: `${phoneNumberId}/messages`,
        body,
        token: this.#settings.accessToken,
        messageId: message.id,
      };
      answer = await requestUnlessWithheld(message.departure, requireOpen, (beforeSend) =>
        this.#client.call({ method: 'POST', ...call, beforeSend }),
      );
    } catch (error) {
      throw error instanceof CarrierError ? error : toCarrierError(error, 'Meta');
    } finally {
      this.#slots.release();
    }
    if (answer.status < 200 || answer.status > 299) {
      // The message is sent once more with fresh uploads. If the message fails again, the uploads were not the problem, and the
      // second response shows the actual problem.
      const code = readMetaError(answer)?.code ?? null;
      if (await this.#media.forgetLostCopies(prepared.reusedCopies, code, phoneNumberId))
        return this.#submit(message, signal);
      throw await this.#handleRefusal(answer, message, phoneNumberId, pair, requestedAt);
    }
    this.#pairPauses.reset(pair);
    this.#numberPauses.reset(phoneNumberId);
    this.#carrierPauses.reset(WHOLE_CARRIER);
    const carrierMessageId = readMessageId(answer);
    this.#recordMetaNumber(message, readDifferentNumber(answer, message.to));
    return { carrierMessageId };
  }

  /**
   * Stores the number in the background, because the message is already accepted. If the number cannot be stored, Meta's next
   * response contains it again.
   */
  #recordMetaNumber({ channelId, to: sentTo }: OutboundMessage, metaNumber: string | null): void {
    if (metaNumber === null || channelId === null) return;
    void this.#pendingWork
      .track(this.#linkNumbers(channelId, { sentTo, known: metaNumber }))
      .catch((error: unknown) => {
        this.#log.warn({ err: error, channelId }, 'the number by which Meta knows a recipient could not be stored');
      });
  }

  #requireNoPause({ channelId }: OutboundMessage, phoneNumberId: string, pair: string): void {
    if (channelId) this.#pausedChannels?.requireNotPaused(channelId);
    if (this.#guard?.isRefused) {
      if (channelId) this.#guard.markChannel(channelId, phoneNumberId);
      throw CarrierError.unavailable('190', TOKEN_REFUSED, { pauseMs: TOKEN_PAUSE_MS });
    }
    const carrierPauseMs = this.#carrierPauses.remainingMs(WHOLE_CARRIER);
    if (carrierPauseMs > 0)
      throw CarrierError.throttled(carrierPauseMs, '80007', "Meta's call limit for the app is reached.");
    const numberPauseMs = this.#numberPauses.remainingMs(phoneNumberId);
    if (numberPauseMs > 0)
      throw CarrierError.throttled(numberPauseMs, '130429', "Meta's rate limit for this number is reached.");
    const pairPauseMs = this.#pairPauses.remainingMs(pair);
    if (pairPauseMs > 0) {
      throw CarrierError.throttled(
        pairPauseMs,
        '131056',
        "Meta's rate limit for messages from this number to this recipient is reached.",
      );
    }
  }

  /** Converts a refusal to an error, and starts the pauses that the refusal requires. */
  async #handleRefusal(
    answer: GraphAnswer,
    message: OutboundMessage,
    phoneNumberId: string,
    pair: string,
    at: Date,
  ): Promise<CarrierError> {
    const { error, scope, health } = toRefusal(answer);
    const { channelId } = message;
    if (error.code === MARKETING_STOPPED_CODE) await this.#recordMarketingOptOut(message, at);
    const retryAfterMs = readRetryDelayMs(answer, this.#clock.now());
    if (health !== null) {
      if (channelId)
        await this.#pausedChannels?.pauseChannel(channelId, { health, code: error.code, reason: error.message, at });
      return error.with({ channelPaused: true });
    }
    const startPause: Record<Exclude<ErrorScope, 'channel'>, () => number> = {
      message: () => (error.retryable ? (retryAfterMs ?? 0) : 0),
      pair: () => this.#pairPauses.start(pair, retryAfterMs),
      number: () => this.#numberPauses.start(phoneNumberId, retryAfterMs),
      carrier: () => this.#carrierPauses.start(WHOLE_CARRIER, retryAfterMs),
      token: () => {
        if (channelId) this.#guard?.recordRefusal(channelId, phoneNumberId);
        return TOKEN_PAUSE_MS;
      },
    };
    return error.with({ pauseMs: startPause[scope as keyof typeof startPause]() });
  }

  /** Records the opt-out in the same way as one reported in the webhook field `user_preferences`. */
  async #recordMarketingOptOut({ channelId, to }: OutboundMessage, at: Date): Promise<void> {
    const { channels, preference } = this.#sinks ?? {};
    const ids = parsePersonIds(to);
    if (!channels || !preference || channelId === null || ids === null) return;
    try {
      const channel = (await channels(this.name)).find(({ id }) => id === channelId);
      if (channel) await preference({ ...ids, channel, wantsNone: true, category: MARKETING_CATEGORY, at });
    } catch (error) {
      // Sending need not stop if the opt-out is not stored, because Meta also refuses the next marketing message.
      this.#log.warn({ err: error, channelId }, 'an opt-out that Meta reported was not recorded');
    }
  }

  /**
   * Calls Meta's API; this method must not be used to send messages.
   * @throws {CarrierError}
   */
  async #callMeta(call: Omit<GraphCall, 'token'>): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.#client.call({ ...call, token: this.#settings.accessToken }).catch((error: unknown) => {
      throw toCarrierError(error, 'Meta');
    });
    if (answer.status < 200 || answer.status > 299) throw toRefusal(answer).error;
    if (!answer.body)
      throw CarrierError.refused('BAD_ANSWER', "The response is not from Meta's API.", { retryable: true });
    return answer.body;
  }

  /** Any response except a refusal of the token means that Meta accepts the token. */
  async #isTokenAccepted(phoneNumberId: string): Promise<boolean> {
    const token = this.#settings.accessToken;
    const answer = await this.#client.call({ method: 'GET', path: phoneNumberId, query: { fields: 'id' }, token });
    if (answer.status >= 200 && answer.status < 300) return true;
    const error = readMetaError(answer);
    if (!error || answer.status >= 500) throw new Error(`the token could not be tested (HTTP status ${answer.status})`);
    return toRefusal(answer).scope !== 'token';
  }

  #paceForNumber(phoneNumberId: string): Pace {
    const existing = this.#paces.get(phoneNumberId);
    if (existing) return existing;
    const pace = new Pace(this.#settings.ratePerSecond);
    this.#paces.set(phoneNumberId, pace);
    return pace;
  }
}

/** Returns the channel if its health says that the token was refused, although the token may have been replaced since. */
function toTokenRefusedChannel({
  id,
  carrierSettings,
  healthStatus,
}: CarrierChannel): { id: string; phoneNumberId: string }[] {
  const phoneNumberId = carrierSettings?.phoneNumberId;
  return healthStatus === TOKEN_REFUSED_HEALTH && typeof phoneNumberId === 'string' ? [{ id, phoneNumberId }] : [];
}
