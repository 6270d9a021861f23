const MEASURES = { messages: 'messages', money: 'money' };
const SPANS = { hour: 'hour', day: 'day', month: 'month' };
const SCOPES = { total: 'in all', recipient: 'to each recipient', sender: 'from each sender ID' };

export const guard = {
  title: 'Spending guard',
  lead: 'To where may be sent, and how much. What is beyond is refused before anything is queued or charged.',
  of: 'Guard of',
  account: 'the whole account',
  allowed: 'Countries',
  allowedHint:
    'Countries such as DE, and beginnings of numbers such as +4915. Press Enter after each. None: any country.',
  any: 'any',
  refusesRisky: 'Refuse risky numbers',
  refusesRiskyHint:
    'Premium rate, shared cost, satellites and international networks, unless a beginning of them is above.',
  risky: 'Risky numbers',
  refused: 'refused',
  let: 'allowed',
  limits: 'Limits',
  noLimits: 'none',
  addLimit: 'Add limit',
  removeLimit: (number: number) => `Remove limit ${number}`,
  most: (number: number) => `Most of limit ${number}`,
  measure: (number: number) => `What limit ${number} counts`,
  span: (number: number) => `How long limit ${number} counts`,
  scope: (number: number) => `For whom limit ${number} counts`,
  measures: MEASURES,
  spans: SPANS,
  scopes: SCOPES,
  limit: (most: string, measure: keyof typeof MEASURES, span: keyof typeof SPANS, scope: keyof typeof SCOPES) =>
    `${most} ${MEASURES[measure]} per ${SPANS[span]} ${SCOPES[scope]}`,
  used: (limit: string, used: string) => `${limit}; ${used} used`,
  usedNow: (used: string) => `${used} used now`,
  watch: 'Hold what looks like pumping',
  watchHint:
    'Numbers are held whose sign-in codes nobody checks or whose messages fail, and countries that go far faster than they used to.',
  holdMinutes: 'Minutes of a hold',
  safe: 'Never held',
  safeHint: 'Beginnings of numbers such as +4915. Press Enter after each.',
  watched: 'Pumping',
  heldFor: (minutes: number) => `held for ${minutes} minutes`,
  notHeld: 'not looked for',
  holds: 'Held now',
  hold: (prefix: string, messages: number) => `${prefix}: ${messages} messages`,
  reasons: {
    codes: 'sign-in codes that nobody checks',
    receipts: 'messages that fail',
    country: 'a country that goes far faster than it used to',
  } as Readonly<Record<string, string>>,
  until: 'until',
  release: 'Release',
  releaseNamed: (prefix: string) => `Release ${prefix}`,
  released: (prefix: string) => `Messages to ${prefix} go again.`,
  saved: 'Saved. Running servers go by it within two seconds.',
  end: 'No guard',
  ended: 'There is no guard any more.',
  none: 'No guard is set: it may send anywhere, as much as it can pay for.',
};
