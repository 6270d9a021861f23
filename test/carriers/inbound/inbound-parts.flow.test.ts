import type pg from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { InboundSms } from '../../../src/carriers/inbound-message.js';
import { decodeText } from '../../../src/carriers/sms/decoding.js';
import { createChannel } from '../../../src/features/channels/channels.js';
import { receiveIncompleteSms, receiveSms } from '../../../src/features/inbound/receive-sms.js';
import { createTestAccount } from '../../support/accounts.js';
import { addScriptedCarrier, createScriptedType } from '../../support/carriers/scripted-carrier.js';
import { ManualClock } from '../../support/manual-clock.js';
import { suiteApp } from '../../support/suite.js';

describe('a multipart SMS from a phone', () => {
  const type = createScriptedType();
  const clock = new ManualClock('2027-01-15T12:00:00Z');
  const heliograph = suiteApp({ carrierTypes: [type], clock });
  let numbers = 0;

  async function setUpChannel() {
    const phoneNumber = `4079900${String(++numbers).padStart(4, '0')}`;
    const { id: accountId } = await createTestAccount(heliograph.deps);
    const input = { accountId, kind: 'sms', name: 'Inbound', phoneNumber, carrier: 'smsc', isDefault: false } as const;
    const { id } = await createChannel(heliograph.deps.prisma, input, [type]);
    return {
      id,
      part: (part: number, body: string, overrides: Partial<InboundSms> = {}): InboundSms => ({
        carrier: 'smsc',
        carrierMessageId: `${phoneNumber}-${body}`,
        from: '40722000001',
        to: phoneNumber,
        body,
        receivedAt: clock.now(),
        concatenation: { reference: 7, total: 3, part },
        ...overrides,
      }),
      texts: async () =>
        (
          await heliograph.deps.prisma.inboundMessage.findMany({ where: { channelId: id }, orderBy: { id: 'asc' } })
        ).map(({ body }) => body),
      waiting: () => heliograph.deps.prisma.inboundPart.count({ where: { recipient: phoneNumber, storedAt: null } }),
    };
  }

  const receive = (...messages: InboundSms[]) => receiveSms(heliograph.deps, messages);

  beforeAll(async () => {
    await addScriptedCarrier(heliograph.deps, 'smsc');
  });

  it('a multipart SMS is stored once its last part has arrived, in any order', async () => {
    const { part, texts, waiting } = await setUpChannel();
    await receive(part(3, 'three'), part(1, 'one '));
    expect(await texts()).toEqual([]);
    expect(await waiting()).toBe(2);
    await receive(part(2, 'two '));
    expect(await texts()).toEqual(['one two three']);
    expect(await waiting()).toBe(0);
  });

  it('a multipart SMS is stored once if its parts arrive at several processes at the same time', async () => {
    const { part, texts, waiting } = await setUpChannel();
    await Promise.all([receive(part(1, 'one ')), receive(part(2, 'two ')), receive(part(3, 'three'))]);
    expect(await texts()).toEqual(['one two three']);
    expect(await waiting()).toBe(0);
  });

  it('a multipart SMS is not started again by a part that another process completed in the meantime', async () => {
    const { part, texts, waiting } = await setUpChannel();
    await receive(part(1, 'one '));
    const { pool } = heliograph.deps;
    const receiveLastPart = vi.fn(() => receive(part(2, 'two ')));
    const query = async (statement: pg.QueryConfig) => {
      const result = await pool.query(statement);
      if (statement.name === 'inbound-parts-keep' && receiveLastPart.mock.calls.length === 0) await receiveLastPart();
      return result;
    };
    const interleavingPool: pg.Pool = Object.create(pool, { query: { value: query } });
    await receiveSms({ ...heliograph.deps, pool: interleavingPool }, [part(3, 'three')]);
    expect(receiveLastPart).toHaveBeenCalledOnce();
    expect(await texts()).toEqual(['one two three']);
    expect(await waiting()).toBe(0);
  });

  it('a multipart SMS ignores repeated parts', async () => {
    const { part, texts } = await setUpChannel();
    await receive(part(1, 'one '), part(1, 'one '), part(2, 'two '), part(2, 'two '), part(3, 'three'));
    expect(await texts()).toEqual(['one two three']);
  });

  it('a multipart SMS keeps its ID and is stored once when parts are repeated before and after it is complete', async () => {
    const { id, part, texts } = await setUpChannel();
    await receive(part(1, 'one '), part(1, 'one ', { carrierMessageId: 'repeated' }));
    await receive(part(2, 'two '), part(3, 'three'));
    const [storedMessage] = await heliograph.deps.prisma.inboundMessage.findMany({ where: { channelId: id } });
    expect(storedMessage?.carrierMessageId).not.toBe('repeated');
    await receive(part(3, 'three', { carrierMessageId: 'repeated' }), part(1, 'one '));
    expect(await texts()).toEqual(['one two three']);
  });

  it('a multipart SMS is not mixed with other messages of the same or another sender', async () => {
    const { part, texts } = await setUpChannel();
    const otherSender = { from: '40722000002' };
    const buildConcatenation = (index: number) => ({ concatenation: { reference: 8, total: 3, part: index } });
    await receive(part(1, 'a1'), part(1, 'b1', otherSender), part(1, 'c1', buildConcatenation(1)));
    await receive(part(2, 'b2', otherSender), part(2, 'a2'), part(2, 'c2', buildConcatenation(2)));
    await receive(part(3, 'c3', buildConcatenation(3)), part(3, 'a3'), part(3, 'b3', otherSender));
    expect((await texts()).sort()).toEqual(['a1a2a3', 'b1b2b3', 'c1c2c3']);
  });

  it('a multipart SMS is stored incomplete once a part is missing for ten minutes', async () => {
    const { part, texts, waiting } = await setUpChannel();
    await receive(part(1, 'one '), part(3, 'three'));
    clock.advance(9 * 60_000);
    await receiveIncompleteSms(heliograph.deps);
    expect(await texts()).toEqual([]);
    clock.advance(60_000);
    await receiveIncompleteSms(heliograph.deps);
    expect(await texts()).toEqual(['one …three']);
    expect(await waiting()).toBe(0);
    await receiveIncompleteSms(heliograph.deps);
    expect(await texts()).toHaveLength(1);
  });

  it('a multipart SMS keeps characters that are split across two parts', async () => {
    const { part, texts } = await setUpChannel();
    const halves = [`one ${'👋'[0]}`, `${'👋'[1]} two ${'👋'[0]}`, 'three'];
    const ids = ['a', 'b', 'c'].map((carrierMessageId) => ({ carrierMessageId: `shared-${carrierMessageId}` }));
    const parts = halves.map((text, index) => part(index + 1, text, ids[index]));
    await receive(...parts.slice(0, 2), ...parts);
    // A surrogate that remains unpaired in the joined text becomes U+FFFD.
    expect(await texts()).toEqual(['one 👋 two \ufffdthree']);
  });

  it('a multipart SMS reads parts stored by an earlier version, and texts that look like encoded ones', async () => {
    const { part, texts } = await setUpChannel();
    await receive(part(1, 'one '), part(2, '\uffff"two" '));
    await heliograph.deps.pool.query(
      "UPDATE inbound_parts SET body = E'\\uffffONE ' WHERE body = 'one ' AND stored_at IS NULL",
    );
    await receive(part(3, 'three'));
    expect(await texts()).toEqual(['\uffffONE \uffff"two" three']);
  });

  it.each([
    ['behind', -3_600_000],
    ['ahead of', 3_600_000],
  ])(
    'a multipart SMS waits for its parts on our clock, even if the times of the carrier are %s it',
    async (_, offMs) => {
      const { part, texts } = await setUpChannel();
      const receivedAt = new Date(clock.now().getTime() + offMs);
      await receive(part(1, 'one ', { receivedAt }));
      clock.advance(9 * 60_000);
      await receiveIncompleteSms(heliograph.deps);
      await receive(part(2, 'two ', { receivedAt }));
      clock.advance(9 * 60_000);
      await receiveIncompleteSms(heliograph.deps);
      expect(await texts()).toEqual([]);
      clock.advance(60_000);
      await receiveIncompleteSms(heliograph.deps);
      expect(await texts()).toEqual(['one two …']);
    },
  );

  it('a multipart SMS is joined as octets if it is binary', async () => {
    const { part, id } = await setUpChannel();
    const createBinary = (text: string) => ({ body: Buffer.from(text).toString('base64'), isBinary: true });
    await receive(part(2, '', createBinary('b')), part(1, '', createBinary('a')), part(3, '', createBinary('c')));
    expect(await heliograph.deps.prisma.inboundMessage.findMany({ where: { channelId: id } })).toMatchObject([
      { type: 'binary', body: '', payload: { data: Buffer.from('abc').toString('base64') } },
    ]);
  });

  it('a multipart SMS reads a sender in national form as a number of the country of the recipient, if possible', async () => {
    const { part, id } = await setUpChannel();
    const createNational = (from: string) => ({
      from,
      isNational: true,
      concatenation: { reference: 7, total: 2, part: 1 },
    });
    await receive(part(1, 'one ', createNational('722000001')));
    await receive({ ...part(2, 'two', { from: '722000001', isNational: true }), concatenation: undefined });
    await receive(
      part(2, 'two', { ...createNational('722000001'), concatenation: { reference: 7, total: 2, part: 2 } }),
    );
    await receive({ ...part(1, 'wrong', { from: '7220', isNational: true }), concatenation: undefined });
    const contacts = await heliograph.deps.prisma.contact.findMany({ where: { channelId: id } });
    expect(contacts.map(({ phone }) => phone).sort()).toEqual(['40722000001', '7220']);
    const storedMessages = await heliograph.deps.prisma.inboundMessage.findMany({
      where: { channelId: id },
      orderBy: { id: 'asc' },
    });
    expect(storedMessages.map(({ body }) => body)).toEqual(['two', 'one two', 'wrong']);
  });

  it.each([
    ['utf8', Buffer.from('Grüße 😀!'), 'Grüße 😀!'],
    ['ucs2', Buffer.from('Grüße 😀!', 'utf16le').swap16(), 'Grüße 😀!'],
    ['ucs2', Buffer.from('\ufeffGrüße', 'utf16le'), 'Grüße'],
    ['gsm7', Buffer.from([0x1b, 0x65, 0x05, 0x1b, 0x3c]), '€é['],
    ['gsm7/1/1', Buffer.from([0x1c, 0x1b, 0x65, 0x07]), 'Ş€ı'],
    ['x0208', Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea]), '日本語'],
    ['x0208', Buffer.from([0x1b, 0x24, 0x42, 0x24, 0x22, 0x24, 0x24, 0x1b, 0x28, 0x42]), 'あい'],
    ['ks-c-5601', Buffer.from([0xb0, 0xa1, 0xb3, 0xaa]), '가나'],
  ] as const)(
    'a multipart SMS in %s is decoded after joining, wherever its octets are split',
    async (encoding, octets, text) => {
      const { part, texts } = await setUpChannel();
      for (let cut = 1; cut < octets.length; cut++) {
        const halves = [octets.subarray(0, cut), octets.subarray(cut)];
        const messages = halves.map((half, index) => {
          const encoded = { octets: half, encoding };
          const concatenation = { reference: cut, total: 2, part: index + 1 };
          return part(index + 1, decodeText(encoded), {
            concatenation: concatenation,
            encoded,
            carrierMessageId: `${cut}-${index}`,
          });
        });
        await receive(...messages.reverse());
      }
      expect(await texts()).toEqual(new Array(octets.length - 1).fill(text));
    },
  );

  it('a multipart SMS shows a gap for a missing part, and decodes each side separately', async () => {
    const { part, texts } = await setUpChannel();
    const createPiece = (number: number, octets: Buffer) => {
      const encoded = { octets, encoding: 'utf8' as const };
      return part(number, decodeText(encoded), { encoded, concatenation: { reference: 3, total: 4, part: number } });
    };
    const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
    await receive(
      createPiece(1, Buffer.concat([Buffer.from('a'), first])),
      createPiece(2, Buffer.concat([second, Buffer.from('b')])),
    );
    await receive(createPiece(4, Buffer.from('z')));
    clock.advance(11 * 60_000);
    await receiveIncompleteSms(heliograph.deps);
    expect(await texts()).toEqual(['aéb…z']);
  });

  it('a multipart SMS is joined as text if an earlier version stored one of its parts', async () => {
    const { part, texts, id } = await setUpChannel();
    const concatenation = { reference: 5, total: 2, part: 1 };
    const oldPiece = { octets: Buffer.from('old '), encoding: 'utf8' as const };
    await receive(part(1, 'old ', { concatenation: concatenation, encoded: oldPiece }));
    const { phoneNumber } = await heliograph.deps.prisma.channel.findUniqueOrThrow({ where: { id } });
    // Simulates an earlier version, which replaces the text of a stored part but not its octets.
    await heliograph.deps.prisma.inboundPart.updateMany({ where: { recipient: phoneNumber }, data: { body: 'new ' } });
    await receive(part(2, 'one', { concatenation: { ...concatenation, part: 2 } }));
    expect(await texts()).toEqual(['new one']);
  });

  it('a multipart SMS is not stored if no channel has its number', async () => {
    const { part } = await setUpChannel();
    await receive(part(1, 'one ', { to: '40799999999' }));
    expect(await heliograph.deps.prisma.inboundPart.count({ where: { recipient: '40799999999' } })).toBe(0);
  });
});
