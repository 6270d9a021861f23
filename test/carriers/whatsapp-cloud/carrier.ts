import { Value } from '@sinclair/typebox/value';
import { pino } from 'pino';
import type {
  CarrierChannel,
  CarrierSinks,
  ChannelPause,
  OutboundMessage,
  Receipt,
} from '../../../src/carriers/carrier.js';
import type { CarrierError } from '../../../src/carriers/carrier-error.js';
import { UNLOGGED } from '../../../src/carriers/http/client.js';
import { type CloudSettings, cloudSettings } from '../../../src/carriers/whatsapp-cloud/settings.js';
import { WhatsappCloud } from '../../../src/carriers/whatsapp-cloud/whatsapp-cloud.js';
import { newId } from '../../../src/platform/ids.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import type { CloudApi } from '../../support/carriers/cloud-api/cloud-api.js';
import { noMedia } from '../../support/carriers/no-media.js';

export const PHONE_NUMBER_ID = '106540352242922';
export const CHANNEL_ID = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55';

export function openCloudCarrier(
  stub: CloudApi,
  settings: Partial<CloudSettings> = {},
  privateHosts: readonly string[] = ['127.0.0.1'],
): WhatsappCloud {
  const allSettings = Value.Default(cloudSettings, {
    ...stub.settings,
    timeoutMs: 20_000,
    ...settings,
  }) as CloudSettings;
  const log = pino({ level: 'silent' });
  const context = { name: 'meta', settings: allSettings, log, clock: systemClock, calls: UNLOGGED };
  return new WhatsappCloud({ ...context, privateHosts });
}

export function submitRefused(
  carrier: WhatsappCloud,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<CarrierError> {
  return carrier.submit(message, signal).then(
    ({ carrierMessageId }) => {
      throw new Error(`the message was accepted as ${carrierMessageId}`);
    },
    (error) => error,
  );
}

export function buildOutbound(message: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    id: newId(),
    kind: 'whatsapp',
    channelId: CHANNEL_ID,
    channelSettings: { phoneNumberId: PHONE_NUMBER_ID },
    from: '15550783881',
    to: '16505551234',
    attempt: 1,
    body: 'Hello',
    content: null,
    segmentation: null,
    acceptedParts: [],
    validUntil: new Date(Date.now() + 3_600_000),
    ...message,
  };
}

export const neverAborted = new AbortController().signal;

export function createRecordingSinks(channels: CarrierChannel[] = []) {
  const receipts: Receipt[] = [];
  const health: [channelId: string, status: string][] = [];
  const pauses: [channelId: string, pause: ChannelPause][] = [];
  const sameNumbers: Parameters<CarrierSinks['linkNumbers']>[] = [];
  const sinks: CarrierSinks = {
    receipts: async (batch) => void receipts.push(...batch),
    inbound: async () => undefined,
    people: async () => undefined,
    acknowledged: async () => undefined,
    health: async (channelId, status) => void health.push([channelId, status]),
    pause: async (channelId, pause) => void pauses.push([channelId, pause]),
    channels: async () => channels,
    hasTemplate: async () => true,
    linkNumbers: async (...report) => void sameNumbers.push(report),
    isMaybeAccepted: async () => false,
    findRecipients: async () => [],
    media: noMedia,
  };
  return { sinks, receipts, health, pauses, sameNumbers };
}
