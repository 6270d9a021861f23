import { describe, expect, it } from 'vitest';
import { check } from '../../chaos/check.mjs';
import { seededRandom } from '../../chaos/random.mjs';

type Evidence = ReturnType<typeof createEvidence>;

const PRICE = 10_000;
const AT = 1_000_000;

/** Creates evidence of a correct run with an SMS, a WhatsApp message with a fallback, a refused message and a campaign. */
function createEvidence() {
  const message = (id: string, to: string, via: string, status: string, overrides = {}) => ({
    ...{
      id,
      to,
      via,
      status,
      attempts: 1,
      refunded: false,
      maybeAccepted: false,
      lostResponses: 0,
      price: PRICE,
      campaignId: null as string | null,
    },
    ...overrides,
  });
  const messages = [
    message('sms', '14152000001', 'sms', 'delivered'),
    message('failing', '14152000008', 'whatsapp', 'failed'),
    message('fallback', '14152000008', 'sms', 'undelivered'),
    message('refused', '14152000009', 'sms', 'failed', { refunded: true }),
    message('member', '14152000007', 'whatsapp', 'read', { campaignId: 'campaign' }),
  ];
  const createSend = (id: string, to: string, kind: string, via: string) => ({
    ...{ to, kind, via, id: id as string | null, outcome: 'acknowledged' },
  });
  const createAcceptance = (to: string, via: string) => ({ to, via, id: `${via} ${to}`, at: AT, lost: false });
  const acceptedMessages = messages.filter(({ refunded }) => !refunded);
  return {
    journal: [
      createSend('sms', '14152000001', 'v1', 'sms'),
      createSend('failing', '14152000008', 'fallback', 'whatsapp'),
      createSend('refused', '14152000009', 'v2', 'sms'),
      { to: '14152000011', kind: 'v2', via: 'sms', id: null, outcome: 'refused' },
      { to: '14152000012', kind: 'unkeyed', via: 'sms', id: null, outcome: 'unknown' },
    ],
    campaigns: [{ id: 'campaign', members: ['14152000007'] }],
    store: {
      messages,
      ledger: { credit: 1_000_000, charge: -5 * PRICE, refund: PRICE },
      balance: 1_000_000 - 4 * PRICE,
      inbound: { 'wamid.1': 1 } as Record<string, number>,
    },
    submissions: acceptedMessages.map(({ to, via }) => createAcceptance(to, via)),
    receipts: acceptedMessages.map(({ to, via, status }) => ({ to, via, state: status })),
    events: messages.map(({ id, status }) => ({ id, type: 'message.status', data: { messageId: id, status } })),
    inboundIds: ['wamid.1'],
    faults: [{ name: 'redis-flushed', from: AT - 10, to: AT + 10, mayDouble: false }],
    reads: [
      { id: 'sms', to: '14152000001', afterMs: 2_000, isShown: true },
      { id: 'sms', to: '14152000001', afterMs: 1_999, isShown: false },
    ] as { id: string; to: string; afterMs: number; isShown?: boolean; status?: number }[],
    maxAgeMs: 2_000,
  };
}

function findRow(evidence: Evidence, id: string) {
  const row = evidence.store.messages.find((message) => message.id === id);
  if (!row) throw new Error(`there is no message ${id}`);
  return row;
}

const removeMessage = (evidence: Evidence, id: string) => {
  evidence.store.messages.splice(evidence.store.messages.indexOf(findRow(evidence, id)), 1);
};

/** Each server bug has a description, the invariant that it violates, and a function that adds its traces to the evidence. */
const BUGS: [string, string, (evidence: Evidence) => void][] = [
  ['an acknowledged message is lost', 'lost', (evidence) => removeMessage(evidence, 'sms')],
  [
    'a response names the message of another request',
    'lost',
    ({ journal }) => Object.assign(journal[0] ?? {}, { id: 'failing' }),
  ],
  [
    'a repeated idempotency key creates a second message',
    'twice',
    (evidence) => evidence.store.messages.push({ ...findRow(evidence, 'sms'), id: 'again' }),
  ],
  [
    'a refused message is sent',
    'refused',
    (evidence) =>
      evidence.store.messages.push({ ...findRow(evidence, 'sms'), id: 'refused all the same', to: '14152000011' }),
  ],
  ['a member of a campaign is skipped', 'campaign', (evidence) => removeMessage(evidence, 'member')],
  [
    'a member of a campaign gets two messages',
    'campaign',
    (evidence) => evidence.store.messages.push({ ...findRow(evidence, 'member'), id: 'again' }),
  ],
  ['a fallback is not sent', 'fallback', (evidence) => removeMessage(evidence, 'fallback')],
  [
    'a fallback is sent although WhatsApp arrived',
    'fallback',
    (evidence) => Object.assign(findRow(evidence, 'failing'), { status: 'delivered' }),
  ],
  ['a message of a contact is lost', 'inbound', ({ store }) => Object.assign(store, { inbound: {} })],
  ['a message of a contact is stored twice', 'inbound', ({ store }) => Object.assign(store.inbound, { 'wamid.1': 2 })],
  [
    'a message is never sent',
    'unfinished',
    (evidence) => Object.assign(findRow(evidence, 'sms'), { status: 'queued' }),
  ],
  ['a receipt is lost', 'unfinished', (evidence) => Object.assign(findRow(evidence, 'sms'), { status: 'sent' })],
  ['a message is charged twice', 'charged', ({ store }) => Object.assign(store.ledger, { charge: -6 * PRICE })],
  ['a message is not charged', 'charged', ({ store }) => Object.assign(store.ledger, { charge: -4 * PRICE })],
  ['a message is refunded twice', 'refunded', ({ store }) => Object.assign(store.ledger, { refund: 2 * PRICE })],
  [
    'the balance differs from the ledger',
    'balance',
    ({ store }) => Object.assign(store, { balance: store.balance + 1 }),
  ],
  [
    'a message that a carrier accepted is refunded',
    'refund',
    (evidence) => Object.assign(findRow(evidence, 'failing'), { refunded: true }),
  ],
  [
    'a message that no carrier accepted is not refunded',
    'refund',
    (evidence) => Object.assign(findRow(evidence, 'refused'), { refunded: false }),
  ],
  [
    'a message that no carrier accepted counts as possibly accepted without a fault',
    'refund',
    (evidence) => Object.assign(findRow(evidence, 'refused'), { refunded: false, maybeAccepted: true }),
  ],
  [
    'two workers send the same message',
    'doubled',
    ({ submissions }) => submissions.push({ to: '14152000001', via: 'sms', id: 'again', at: AT + 1, lost: false }),
  ],
  [
    'attempts are not counted',
    'doubled',
    ({ submissions }) => {
      Object.assign(submissions[0] ?? {}, { lost: true });
      submissions.push({ to: '14152000001', via: 'sms', id: 'again', at: AT + 1, lost: false });
    },
  ],
  [
    'a single lost response causes two more submissions',
    'doubled',
    ({ store, submissions }) => {
      Object.assign(submissions[0] ?? {}, { lost: true });
      for (const at of [AT + 1, AT + 2])
        submissions.push({ to: '14152000001', via: 'sms', id: `at ${at}`, at, lost: false });
      Object.assign(store.messages[0] ?? {}, { attempts: 3, lostResponses: 1 });
    },
  ],
  [
    'a message is sent that the server never accepted',
    'unknown',
    ({ submissions }) => submissions.push({ to: '14152000021', via: 'sms', id: 'foreign', at: AT, lost: false }),
  ],
  ['a status moves backward', 'end', (evidence) => Object.assign(findRow(evidence, 'member'), { status: 'delivered' })],
  [
    'a message that the carrier refused is reported as delivered',
    'end',
    (evidence) => Object.assign(findRow(evidence, 'refused'), { status: 'delivered' }),
  ],
  ['a webhook is lost', 'webhook', ({ events }) => void events.shift()],
  [
    'a list is older than the limit',
    'stale',
    ({ reads }) => reads.push({ id: 'sms', to: '14152000001', afterMs: 2_000, isShown: false }),
  ],
  ['a list fails', 'look', ({ reads }) => reads.push({ id: 'sms', to: '14152000001', afterMs: 2_000, status: 500 })],
  ['no list was read', 'look', ({ reads }) => void reads.splice(0)],
  [
    'a webhook reports another status',
    'webhook',
    ({ events }) => Object.assign(events[0] ?? {}, { data: { messageId: 'sms', status: 'failed' } }),
  ],
];

describe('the check of a chaos run', () => {
  it('reports nothing for a correct run', () => {
    expect(check(createEvidence())).toEqual([]);
  });

  it.each(BUGS)('detects that %s', (_bug, invariant, introduceBug) => {
    const evidence = createEvidence();
    introduceBug(evidence);
    const invariants = check(evidence).map((finding) => finding.slice(0, finding.indexOf(':')));
    expect(invariants).toContain(invariant);
  });

  it.each([
    [
      'its carrier lost the answer',
      (evidence: Evidence) => Object.assign(evidence.submissions[0] ?? {}, { lost: true }),
    ],
    ['a fault could lose it', (evidence: Evidence) => Object.assign(evidence.faults[0] ?? {}, { mayDouble: true })],
    ['the attempt timed out', (evidence: Evidence) => Object.assign(findRow(evidence, 'sms'), { lostResponses: 1 })],
  ])('lets a message be sent again where %s', (_why, explain) => {
    const evidence = createEvidence();
    evidence.submissions.push({ to: '14152000001', via: 'sms', id: 'again', at: AT + 1, lost: false });
    findRow(evidence, 'sms').attempts = 2;
    explain(evidence);
    expect(check(evidence)).toEqual([]);
  });

  it('allows a message that no carrier accepted to stay charged if a lost response ended its session', () => {
    const evidence = createEvidence();
    Object.assign(findRow(evidence, 'refused'), { refunded: false, maybeAccepted: true });
    evidence.store.ledger.refund = 0;
    evidence.store.balance -= findRow(evidence, 'refused').price;
    Object.assign(evidence.submissions[0] ?? {}, { lost: true });
    expect(check(evidence)).toEqual([]);
  });
});

describe('seededRandom', () => {
  it('are the same for the same seed, and others for another', () => {
    const choose = (seed: number) =>
      seededRandom(seed).sample(
        Array.from({ length: 100 }, (_, index) => index),
        20,
      );
    expect(choose(7)).toEqual(choose(7));
    expect(choose(7)).not.toEqual(choose(8));
    expect(new Set(choose(7)).size).toBe(20);
  });
});
