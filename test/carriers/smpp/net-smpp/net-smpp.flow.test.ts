import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SmppSettings } from '../../../../src/carriers/smpp/settings.js';
import type { SmppCarrier } from '../../../../src/carriers/smpp/smpp-carrier.js';
import { deriveConcatenationReference } from '../../../../src/carriers/sms/segments.js';
import { waitFor } from '../../../support/wait-for.js';
import { createSmppSettings, createSms, neverAborted, openSmppCarrier, RecordingSinks } from '../setup.js';
import { describeNetSmpp, NetSmpp } from './net-smpp.js';

describeNetSmpp('Net::SMPP', () => {
  let smsc: NetSmpp;
  let carrier: SmppCarrier;
  let sinks: RecordingSinks;

  async function connect(settings: Partial<SmppSettings> = {}) {
    const ids = { responseIdFormat: 'hex', receiptIdFormat: 'decimal' } as const;
    carrier = openSmppCarrier(createSmppSettings(smsc.port, { ...ids, ...settings }));
    sinks = new RecordingSinks();
    await carrier.start(sinks);
    await waitFor('the bind', () => carrier.state().up);
  }

  async function submitAndAwaitReceipts(text: string) {
    const message = createSms(text);
    const { carrierMessageId, parts } = await carrier.submit(message, neverAborted);
    const ids = parts?.map((part) => part.carrierMessageId) ?? [carrierMessageId];
    await waitFor('every receipt', () => sinks.storedReceipts.length === ids.length);
    expect(sinks.storedReceipts.map((receipt) => receipt.carrierMessageId)).toEqual(ids);
    expect(sinks.storedReceipts.every(({ status }) => status === 'delivered')).toBe(true);
    await waitFor(
      'every answer',
      () => smsc.lines.filter((line) => line === 'deliver_sm_resp status=0').length === ids.length,
    );
    return { reference: deriveConcatenationReference(message.id), submits: smsc.submits() };
  }

  const buildHeader = (reference: number, part: number) => Buffer.from([5, 0, 3, reference, 3, part]).toString('hex');
  const encodeUcs2 = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');

  beforeEach(async () => {
    smsc = await NetSmpp.start();
  });
  afterEach(async () => {
    await carrier.close(AbortSignal.timeout(2_000));
    await smsc.stop();
  });

  it('an SMSC based on Net::SMPP accepts our bind as version 3.4', async () => {
    await connect();
    await waitFor('the line', () => smsc.lines.some((line) => line.startsWith('bind ')));
    expect(smsc.lines).toContain('bind interface_version=34 system_id=heliograph');
  });

  it('an SMSC based on Net::SMPP reads a single GSM part', async () => {
    await connect();
    const { submits } = await submitAndAwaitReceipts('Grüße [€]@');
    expect(submits).toHaveLength(1);
    expect(submits[0]).toMatchObject({
      esm_class: '0',
      data_coding: '0',
      registered_delivery: '1',
      source_addr_ton: '5',
      source_addr: 'Heliograph',
      dest_addr_ton: '1',
      dest_addr_npi: '1',
      destination_addr: '40722000001',
      short_message: '47727e1e65201b3c1b651b3e00',
    });
  });

  it('an SMSC based on Net::SMPP reads a single UCS-2 part', async () => {
    await connect();
    const { submits } = await submitAndAwaitReceipts('Привет 😀');
    expect(submits).toHaveLength(1);
    expect(submits[0]).toMatchObject({ esm_class: '0', data_coding: '8', short_message: encodeUcs2('Привет 😀') });
  });

  it.each([
    ['GSM', 'x', '0', '78', [153, 153, 20]],
    ['UCS-2', 'ж', '8', '0436', [67, 67, 5]],
  ])(
    'an SMSC based on Net::SMPP reads three %s parts with concatenation headers',
    async (_, character, coding, hex, lengths) => {
      await connect();
      const { reference, submits } = await submitAndAwaitReceipts(
        character.repeat(lengths.reduce((sum, length) => sum + length)),
      );
      expect(submits.map(({ esm_class, data_coding }) => [esm_class, data_coding])).toEqual(
        lengths.map(() => ['64', coding]),
      );
      expect(submits.map(({ short_message }) => short_message)).toEqual(
        lengths.map((length, index) => buildHeader(reference, index + 1) + hex.repeat(length)),
      );
    },
  );

  it('an SMSC based on Net::SMPP reads the SAR TLVs of a multipart message', async () => {
    await connect({ multipart: 'sar' });
    const { reference, submits } = await submitAndAwaitReceipts('x'.repeat(160 + 1));
    const numbers = submits.map((submit) => [
      submit.sar_msg_ref_num,
      submit.sar_total_segments,
      submit.sar_segment_seqnum,
    ]);
    const hex = reference.toString(16).padStart(4, '0');
    expect(numbers).toEqual([
      [hex, '02', '01'],
      [hex, '02', '02'],
    ]);
  });

  it('an SMSC based on Net::SMPP reads a long text from message_payload', async () => {
    await connect({ multipart: 'payload' });
    const { submits } = await submitAndAwaitReceipts('x'.repeat(400));
    expect(submits).toHaveLength(1);
    expect(submits[0]).toMatchObject({ esm_class: '0', short_message: '', message_payload: '78'.repeat(400) });
  });
});
