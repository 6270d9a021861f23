const MEASURES = { messages: 'messages', money: 'money' };
const SPANS = { hour: 'hour', day: 'day', month: 'month' };
const SCOPES = { total: 'in total', recipient: 'to each recipient', sender: 'from each sender ID' };

export const guard = {
  title: 'Spending guard',
  lead: 'Limits where messages may be sent, and how many. Messages beyond the limits are refused before they are queued or charged.',
  appliesTo: 'Applies to',
  account: 'Whole account',
  allowed: 'Countries',
  allowedHint:
    'Countries such as DE, and number prefixes such as +4915. Press Enter after each. Leave empty to allow any country.',
  any: 'any',
  refusesRisky: 'Refuse risky numbers',
  refusesRiskyHint:
    'Premium-rate, shared-cost, satellite and international-network numbers, unless their prefix is listed above.',
  risky: 'Risky numbers',
  refused: 'refused',
  riskyAllowed: 'allowed',
  limits: 'Limits',
  noLimits: 'none',
  addLimit: 'Add limit',
  removeLimit: (number: number) => `Remove limit ${number}`,
  limitAmount: (number: number) => `Amount of limit ${number}`,
  measure: (number: number) => `Unit of limit ${number}`,
  span: (number: number) => `Period of limit ${number}`,
  scope: (number: number) => `Scope of limit ${number}`,
  measures: MEASURES,
  spans: SPANS,
  scopes: SCOPES,
  limit: (most: string, measure: keyof typeof MEASURES, span: keyof typeof SPANS, scope: keyof typeof SCOPES) =>
    `${most} ${MEASURES[measure]} per ${SPANS[span]} ${SCOPES[scope]}`,
  used: (limit: string, used: string) => `${limit}; ${used} used`,
  usedNow: (used: string) => `${used} used so far`,
  watch: 'Hold suspected SMS pumping',
  watchHint:
    'Holds number ranges whose sign-in codes are never checked or whose messages fail, and countries with an unusual increase in traffic.',
  holdMinutes: 'Duration of a hold (minutes)',
  neverHold: 'Never hold',
  neverHoldHint: 'Number prefixes such as +4915. Press Enter after each.',
  watched: 'SMS pumping',
  heldFor: (minutes: number) => `held for ${minutes} minutes`,
  notHeld: 'not detected',
  holds: 'Currently held',
  hold: (prefix: string, messages: number) => `${prefix}: ${messages} messages`,
  reasons: {
    codes: 'sign-in codes are never checked',
    receipts: 'messages fail',
    country: 'unusual increase in traffic to the country',
  } as Readonly<Record<string, string>>,
  until: 'until',
  release: 'Release',
  releaseNamed: (prefix: string) => `Release ${prefix}`,
  released: (prefix: string) => `Messages to ${prefix} are sent again.`,
  saved: 'Saved. Takes effect within two seconds.',
  removeGuard: 'Remove guard',
  removed: 'The guard was removed.',
  none: 'No guard is set. Messages may be sent anywhere, as long as the balance allows.',
};
