import { setMaxListeners } from 'node:events';
import { Value } from '@sinclair/typebox/value';
import { type Logger, pino } from 'pino';
import type { CarrierSinks, OutboundMessage, Receipt } from '../../../src/carriers/carrier.js';
import type { InboundSms } from '../../../src/carriers/inbound-message.js';
import { type SmppSettings, SmppSettingsSchema } from '../../../src/carriers/smpp/settings.js';
import { SmppCarrier } from '../../../src/carriers/smpp/smpp-carrier.js';
import { segment } from '../../../src/carriers/sms/segments.js';
import type { Clock } from '../../../src/platform/clock.js';
import { newId } from '../../../src/platform/ids.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { noMedia } from '../../support/carriers/no-media.js';

export const neverAborted = new AbortController().signal;
// Node.js would print a warning, because every carrier in a test file adds a listener to this signal.
setMaxListeners(0, neverAborted);

export function bindSettings(port: number) {
  return { host: '127.0.0.1', port, systemId: 'heliograph', password: 'secret' };
}

/** Creates settings with reconnect delays that are short enough for tests. */
export function createSmppSettings(port: number, settings: Partial<SmppSettings> = {}): SmppSettings {
  return Value.Default(SmppSettingsSchema, {
    ...bindSettings(port),
    reconnectMinSeconds: 0.02,
    reconnectMaxSeconds: 0.1,
    ...settings,
  }) as SmppSettings;
}

export class RecordingSinks implements CarrierSinks {
  readonly storedReceipts: Receipt[] = [];
  readonly storedMessages: InboundSms[] = [];
  readonly answeredIds: string[] = [];
  fail: Error | null = null;
  gate: Promise<void> = Promise.resolve();

  linkNumbers = async (): Promise<void> => undefined;
  isMaybeAccepted = async (): Promise<boolean> => false;

  findRecipients = async (): Promise<string[]> => {
    if (this.fail) throw this.fail;
    return [];
  };

  receipts = async (receipts: readonly Receipt[]): Promise<void> => {
    await this.gate;
    if (this.fail) throw this.fail;
    this.storedReceipts.push(...receipts);
  };

  inbound = async (messages: readonly InboundSms[]): Promise<void> => {
    await this.gate;
    if (this.fail) throw this.fail;
    this.storedMessages.push(...messages);
  };

  people = async (): Promise<void> => undefined;

  channels = async () => [];

  hasTemplate = async () => true;

  media = noMedia;

  health = async (): Promise<void> => undefined;

  pause = async (): Promise<void> => undefined;

  acknowledged = async (ids: readonly string[]): Promise<void> => void this.answeredIds.push(...ids);
}

export function openSmppCarrier(
  settings: SmppSettings,
  {
    clock = systemClock,
    log = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }),
  }: { clock?: Clock; log?: Logger } = {},
): SmppCarrier {
  return new SmppCarrier({ name: 'smsc', settings, log, clock });
}

export function createSms(body: string, message: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    id: newId(),
    kind: 'sms',
    channelId: null,
    channelSettings: null,
    from: 'Heliograph',
    to: '40722000001',
    attempt: 1,
    body,
    content: null,
    segmentation: segment(body),
    acceptedParts: [],
    validUntil: new Date(Date.now() + 48 * 3_600_000),
    ...message,
  };
}
