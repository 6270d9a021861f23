import { infobip } from './infobip.js';
import { jasmin } from './jasmin.js';
import { kannel } from './kannel.js';
import type { HttpPreset } from './preset.js';
import { twilio } from './twilio.js';
import { vonage } from './vonage.js';
import { vonageMessages } from './vonage-messages.js';

/** Every preset. A new one is a file and a line here. */
export const HTTP_PRESETS: readonly HttpPreset[] = [twilio, kannel, jasmin, vonage, vonageMessages, infobip];
