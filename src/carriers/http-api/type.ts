import type { CarrierType } from '../carrier-type.js';
import { buildPlan, buildStoredPlan, listSecretValues } from './build-plan.js';
import { applyCalls } from './callbacks/apply.js';
import { httpEndpoints } from './callbacks/endpoints.js';
import { buildEntries, checkHttp } from './check.js';
import { findGenericProblems, findUnsupportedPatterns } from './generic/problems.js';
import { GENERIC_DESTINATIONS, GENERIC_SECRETS, type genericSettings } from './generic/settings.js';
import { HTTP, HttpCarrier } from './http-carrier.js';
import { HTTP_PRESETS } from './presets/presets.js';
import { typeSettings } from './type-settings.js';

export const httpType: CarrierType<typeof genericSettings> = {
  type: HTTP,
  kinds: ['sms'],
  settings: typeSettings,
  secrets: GENERIC_SECRETS,
  destinations: GENERIC_DESTINATIONS,
  presets: HTTP_PRESETS,
  logsCalls: true,
  findProblems: findGenericProblems,
  findUnsupported: findUnsupportedPatterns,
  callbacks: {
    endpoints: httpEndpoints,
    apply: (calls, context) => applyCalls(calls, context, buildStoredPlan),
  },
  open: ({ settings, ...context }) =>
    new HttpCarrier({ ...context, plan: buildPlan(settings), secrets: listSecretValues(settings) }),
  check: checkHttp,
  listEntries: buildEntries,
};
