import type { CarrierType } from '../carrier-type.js';
import { checkSmpp } from './check.js';
import { findProblems, SmppSettingsSchema } from './settings.js';
import { SmppCarrier } from './smpp-carrier.js';

export const smppType: CarrierType<typeof SmppSettingsSchema> = {
  type: 'smpp',
  kinds: ['sms'],
  settings: SmppSettingsSchema,
  secrets: ['password', 'tlsCa', 'tlsCertificate', 'tlsKey'],
  destinations: ['host', 'port', 'tls', 'tlsServerName', 'tlsCa', 'tlsVerify'],
  findProblems: findProblems,
  findRouteProblem: ({ bindType }) =>
    bindType === 'receiver' ? 'its bindType is receiver, so it cannot send messages' : null,
  open: (context) => new SmppCarrier(context),
  check: checkSmpp,
};
