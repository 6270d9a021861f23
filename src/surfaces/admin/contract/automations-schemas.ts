import { type Static, Type } from '@sinclair/typebox';
import { WrittenPhone } from '../../http/schemas/phones.js';
import { PERSON } from '../../resources/people/people.js';
import {
  AutomationBody,
  AutomationChange,
  AutomationRecord,
  TriggerBody as ChannelTriggerBody,
  RunRecord,
} from '../../resources/records/automation-schemas.js';

import { Version } from './version-schemas.js';

export { AutomationBody, AutomationChange };

export const AutomationData = Type.Object({ ...AutomationRecord.properties, version: Version });

/** Body of Surface B's trigger request, except that the phone number may be in any common format. */
export const TriggerBody = Type.Object(
  {
    ...ChannelTriggerBody.properties,
    phone: Type.Optional(WrittenPhone('Instead of contactId. A contact is created if there is none.')),
  },
  { examples: ChannelTriggerBody.examples },
);

export const RunData = Type.Object({
  ...RunRecord.properties,
  contact: Type.Object({ ...PERSON, name: Type.String() }),
});

export type AutomationView = Static<typeof AutomationData>;
export type RunView = Static<typeof RunData>;
