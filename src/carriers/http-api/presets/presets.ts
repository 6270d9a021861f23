import { africastalking } from './africastalking.js';
import { aws } from './aws.js';
import { clickatell } from './clickatell.js';
import { heliograph } from './heliograph.js';
import { infobip } from './infobip.js';
import { jasmin } from './jasmin.js';
import { kannel } from './kannel.js';
import { messagebird } from './messagebird.js';
import { plivo } from './plivo.js';
import type { HttpPreset } from './preset.js';
import { sinch } from './sinch.js';
import { smsgate } from './smsgate.js';
import { telnyx } from './telnyx.js';
import { twilio } from './twilio.js';
import { vonage } from './vonage.js';
import { vonageMessages } from './vonage-messages.js';

export const HTTP_PRESETS: readonly HttpPreset[] = [
  africastalking,
  aws,
  heliograph,
  messagebird,
  clickatell,
  infobip,
  jasmin,
  kannel,
  plivo,
  sinch,
  smsgate,
  telnyx,
  twilio,
  vonageMessages,
  vonage,
];
