import type { CarrierType } from '../carrier-type.js';
import { applyCallbacks } from './callbacks/apply.js';
import { whatsappCloudEndpoints } from './callbacks/endpoints.js';
import { checkCloud } from './check.js';
import { cloudChannelSettings, cloudSettings, WHATSAPP_CLOUD } from './settings.js';
import { WhatsappCloud } from './whatsapp-cloud.js';

export const whatsappCloudType: CarrierType<typeof cloudSettings> = {
  type: WHATSAPP_CLOUD,
  kinds: ['whatsapp'],
  settings: cloudSettings,
  secrets: ['accessToken', 'appSecret', 'verifyToken'],
  destinations: ['baseUrl'],
  logsCalls: true,
  channelSettings: cloudChannelSettings,
  channelIdentity: 'phoneNumberId',
  callbacks: { endpoints: whatsappCloudEndpoints, apply: applyCallbacks },
  open: (context) => new WhatsappCloud(context),
  check: checkCloud,
};
