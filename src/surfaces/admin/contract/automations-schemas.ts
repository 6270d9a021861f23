import { type Static, Type } from '@sinclair/typebox';
import { WrittenPhone } from '../../http/schemas/phones.js';
import { PERSON } from '../../resources/people/people.js';
import {
  AutomationBody,
  AutomationChange,
  AutomationRecord,
  RunRecord,
  TriggerBody as TriggerOfChannel,
} from '../../resources/records/automation-schemas.js';

import { Version } from './version-schemas.js';

export { AutomationBody, AutomationChange };

export const AutomationData = Type.Object({ ...AutomationRecord.properties, version: Version });

/** As of Surface B, with numbers as people write them. */
export const TriggerBody = Type.Object(
  {
    ...TriggerOfChannel.properties,
    phone: Type.Optional(WrittenPhone('Instead of contactId. Its contact is made when it is new.')),
  },
  { examples: TriggerOfChannel.examples },
);

export const RunData = Type.Object({
  ...RunRecord.properties,
  contact: Type.Object({ ...PERSON, name: Type.String() }),
});

export type AutomationView = Static<typeof AutomationData>;
export type RunView = Static<typeof RunData>;
