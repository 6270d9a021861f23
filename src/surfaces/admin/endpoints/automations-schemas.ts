import { type Static, Type } from '@sinclair/typebox';
import {
  AutomationBody,
  AutomationChange,
  AutomationRecord,
  RunRecord,
  TriggerBody,
} from '../../b/endpoints/automation-schemas.js';

export { AutomationBody, AutomationChange, AutomationRecord as AutomationData, TriggerBody };

export const RunData = Type.Object({
  ...RunRecord.properties,
  contact: Type.Object({ phone: Type.String({ examples: ['15005550111'] }), name: Type.String() }),
});

export type AutomationView = Static<typeof AutomationRecord>;
export type RunView = Static<typeof RunData>;
