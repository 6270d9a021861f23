import { describe, expect, it } from 'vitest';
import { checkPair } from '../../chaos/pair/check.mjs';

const PRICE = 10_000;
const SECOND = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55';
const REPEATED = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e56';
const toSid = (id: string) => `SM${id.replaceAll('-', '')}`;

type Evidence = ReturnType<typeof createEvidence>;
type Message = Evidence['first']['messages'][number];

/** Creates evidence of a run with two messages, one of which was sent twice because its response was lost. */
function createEvidence() {
  const message = (id: string, to: string, parts: number, overrides = {}) => ({
    ...{ id, to, via: 'sms', status: 'delivered', parts, attempts: 1, refunded: false, maybeAccepted: false },
    ...{
      price: PRICE * parts,
      carrierMessageId: null as string | null,
      campaignId: null,
      carrier: 'second',
      ...overrides,
    },
  });
  const server = (messages: ReturnType<typeof message>[]) => {
    const charge = -messages.reduce((sum, { price }) => sum + price, 0);
    return { messages, ledger: { credit: 1_000_000, charge }, balance: 1_000_000 + charge, inbound: {} };
  };
  return {
    journal: [
      { to: '1', kind: 'v2', via: 'sms', outcome: 'acknowledged', id: 'a' as string | null, parts: 3 },
      { to: '2', kind: 'v2', via: 'sms', outcome: 'acknowledged', id: 'b' as string | null, parts: 1 },
    ],
    first: server([
      message('a', '1', 3, { carrierMessageId: toSid(SECOND) }),
      message('b', '2', 1, { carrierMessageId: toSid(REPEATED), attempts: 2, maybeAccepted: true }),
    ]),
    second: server([message(SECOND, '1', 3), message(toNewerId(REPEATED), '2', 1), message(REPEATED, '2', 1)]),
    kills: 2,
  };
}

function toNewerId(id: string): string {
  return id.replace(/..$/, '99');
}

describe('the check of a pair of servers', () => {
  it('reports nothing for a correct run, and counts messages sent twice', () => {
    expect(checkPair(createEvidence())).toEqual({ findings: [], doubled: 1, unsure: 0 });
  });

  it('accepts an unknown final status of a message whose response was lost twice', () => {
    const evidence = createEvidence();
    Object.assign(evidence.first.messages[1] as object, { status: 'failed' });
    expect(checkPair(evidence)).toEqual({ findings: [], doubled: 1, unsure: 1 });
  });

  const changeMessage = (index: number, change: object) => (evidence: Evidence) => {
    Object.assign(evidence.first.messages[index] as object, change);
  };
  it.each<[string, (evidence: Evidence) => unknown]>([
    ['lost', ({ first }) => first.messages.shift()],
    ['lost', ({ second }) => second.messages.shift()],
    ['twice', ({ first }) => first.messages.push({ ...(first.messages[0] as Message) })],
    ['doubled', changeMessage(1, { maybeAccepted: false })],
    ['doubled', changeMessage(1, { attempts: 1 })],
    ['doubled', ({ second }) => second.messages.push({ ...(second.messages[2] as Message) })],
    ['unknown', ({ second }) => second.messages.push({ ...(second.messages[0] as Message), to: '3' })],
    ['parts', changeMessage(0, { parts: 2 })],
    ['carrier', changeMessage(0, { carrier: 'simulator' })],
    ['id', changeMessage(0, { carrierMessageId: toSid(toNewerId(SECOND)) })],
    ['end', changeMessage(0, { status: 'undelivered' })],
    ['unfinished', changeMessage(0, { status: 'sent' })],
    ['refund', changeMessage(0, { refunded: true })],
    ['charged', ({ second }) => (second.ledger.charge -= 1)],
    ['balance', ({ first }) => (first.balance += 1)],
    ['refused', ({ journal }) => Object.assign(journal[0] as object, { outcome: 'refused' })],
  ])('reports a violation as "%s"', (kind, introduceBug) => {
    const evidence = createEvidence();
    introduceBug(evidence);
    expect(checkPair(evidence).findings.map((finding) => finding.split(':')[0])).toContain(kind);
  });
});
