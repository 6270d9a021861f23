import type { CarrierType } from '../carrier-type.js';
import { checkCloud } from './check.js';
import { cloudChannelSettings, cloudSettings } from './settings.js';
import { WHATSAPP_CLOUD, WhatsappCloud } from './whatsapp-cloud.js';

/** Meta's WhatsApp Cloud API. */
export const whatsappCloudType: CarrierType<typeof cloudSettings> = {
  type: WHATSAPP_CLOUD,
  kinds: ['whatsapp'],
  settings: cloudSettings,
  secrets: ['accessToken', 'appSecret', 'verifyToken'],
  channelSettings: cloudChannelSettings,
  channelIdentity: 'phoneNumberId',
  open: (context) => new WhatsappCloud(context),
  check: checkCloud,
};
