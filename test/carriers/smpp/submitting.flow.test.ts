import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, describe, expect, it } from 'vitest';
import { CarrierError } from '../../../src/carriers/carrier-error.js';
import type { SmppSettings } from '../../../src/carriers/smpp/settings.js';
import type { SmppCarrier } from '../../../src/carriers/smpp/smpp-carrier.js';
import { deriveConcatenationReference } from '../../../src/carriers/sms/segments.js';
import { ManualClock } from '../../support/manual-clock.js';
import { waitFor } from '../../support/wait-for.js';
import { CERTIFICATE, KEY } from './certificate.js';
import { createSmppSettings, createSms, neverAborted, openSmppCarrier, RecordingSinks } from './setup.js';
import { buildResponse, Smsc, type SmscOptions, type Treatment } from './smsc.js';

let smsc: Smsc;
let carrier: SmppCarrier;

async function connect(settings: Partial<SmppSettings> = {}, options: SmscOptions = {}, clock?: ManualClock) {
  smsc = await Smsc.start(options);
  carrier = openSmppCarrier(createSmppSettings(smsc.port, settings), { clock });
  await carrier.start(new RecordingSinks());
  await waitFor('the bind', () => carrier.state().up);
}

afterEach(async () => {
  await carrier.close(AbortSignal.timeout(1_000));
  await smsc.kill();
});

async function captureRefusal(treatment: Treatment, settings: Partial<SmppSettings> = {}): Promise<CarrierError> {
  await connect(settings);
  smsc.treat = () => treatment;
  const error = await carrier.submit(createSms('Hello'), neverAborted).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(CarrierError);
  return error as CarrierError;
}

describe('submit_sm', () => {
  it('a submit_sm carries a single GSM part without a header', async () => {
    await connect();
    const { carrierMessageId, parts } = await carrier.submit(
      createSms('Grüße [€]@', { from: '+40 is no number' }),
      neverAborted,
    );
    expect(carrierMessageId).toBe('1');
    expect(parts).toBeUndefined();
    const [submit] = smsc.submits;
    expect(submit).toMatchObject({
      source: { ton: 5, npi: 0, address: '+40 is no number' },
      destination: { ton: 1, npi: 1, address: '40722000001' },
      esmClass: 0,
      registeredDelivery: 1,
      dataCoding: 0,
    });
    // In the GSM alphabet (3GPP TS 23.038), ü is 0x7E, ß is 0x1E, @ is 0x00, and [ € ] follow the escape 0x1B.
    expect(submit?.octets.toString('hex')).toBe('47727e1e65201b3c1b651b3e00');
    expect(submit?.tlvs.size).toBe(0);
  });

  it('a submit_sm carries a single UCS-2 part without a header', async () => {
    await connect();
    await carrier.submit(createSms('Привет 😀'), neverAborted);
    const [submit] = smsc.submits;
    expect(submit).toMatchObject({ esmClass: 0, dataCoding: 8 });
    expect(submit?.octets.toString('hex')).toBe('041f04400438043204350442' + '0020' + 'd83dde00');
  });

  it.each([
    ['GSM', `${'a'.repeat(152)}€${'b'.repeat(152)}${'c'.repeat(10)}`, 0, [152, 154 - 1, 11]],
    ['UCS-2', `${'ж'.repeat(66)}😀${'ш'.repeat(66)}конец`, 8, [66 * 2, 67 * 2, 6 * 2]],
  ])('a submit_sm carries three %s parts with concatenation headers', async (_, text, dataCoding, lengths) => {
    await connect();
    const message = createSms(text);
    const { carrierMessageId, parts } = await carrier.submit(message, neverAborted);
    expect(carrierMessageId).toBe('1');
    expect(parts).toEqual([1, 2, 3].map((part) => ({ part, carrierMessageId: String(part) })));
    expect(smsc.submits.map(({ esmClass }) => esmClass)).toEqual([0x40, 0x40, 0x40]);
    expect(smsc.submits.map((submit) => submit.dataCoding)).toEqual([dataCoding, dataCoding, dataCoding]);
    const reference = deriveConcatenationReference(message.id);
    expect(smsc.submits.map(({ octets }) => [...octets.subarray(0, 6)])).toEqual(
      [1, 2, 3].map((part) => [5, 0, 3, reference, 3, part]),
    );
    expect(smsc.submits.map(({ octets }) => octets.length - 6)).toEqual(lengths);
    const wholeText = Buffer.concat(smsc.submits.map(({ octets }) => octets.subarray(6)));
    if (dataCoding === 8) expect(wholeText.swap16().toString('utf16le')).toBe(text);
    else expect(wholeText.toString('latin1')).toBe(text.replace('€', '\x1be'));
  });

  it('a submit_sm carries SAR TLVs if multipart is sar', async () => {
    await connect({ multipart: 'sar' });
    const message = createSms('x'.repeat(161));
    await carrier.submit(message, neverAborted);
    const reference = deriveConcatenationReference(message.id);
    expect(smsc.submits).toHaveLength(2);
    for (const [index, { esmClass, octets, tlvs }] of smsc.submits.entries()) {
      expect(esmClass).toBe(0);
      expect(octets.toString('latin1')).toBe('x'.repeat(index === 0 ? 153 : 8));
      expect([...tlvs]).toEqual([
        [0x020c, Buffer.from([0, reference])],
        [0x020e, Buffer.from([2])],
        [0x020f, Buffer.from([index + 1])],
      ]);
    }
  });

  it('a submit_sm carries only long texts in message_payload if multipart is payload', async () => {
    await connect({ multipart: 'payload' });
    const { parts } = await carrier.submit(createSms('x'.repeat(161)), neverAborted);
    expect(parts).toBeUndefined();
    await carrier.submit(createSms('short'), neverAborted);
    expect(smsc.submits).toHaveLength(2);
    expect(smsc.submits[0]?.octets).toHaveLength(0);
    expect([...(smsc.submits[0]?.tlvs ?? [])]).toEqual([[0x0424, Buffer.from('x'.repeat(161))]]);
    expect(smsc.submits[1]?.octets.toString()).toBe('short');
  });

  it.each([
    ['+40722000009', 1, 1, '40722000009'],
    ['1820', 3, 0, '1820'],
    ['Shop', 5, 0, 'Shop'],
  ])('a submit_sm has the TON and NPI that fit the sender %s', async (from, ton, npi, address) => {
    await connect();
    await carrier.submit(createSms('Hello', { from }), neverAborted);
    expect(smsc.submits[0]?.source).toEqual({ ton, npi, address });
  });

  it('a submit_sm follows the settings of the operator', async () => {
    const clock = new ManualClock('2027-01-15T12:00:00Z');
    const settings = { sourceTon: 0, sourceNpi: 8, destinationTon: 2, destinationNpi: 0, serviceType: 'CMT' } as const;
    await connect({ ...settings, intermediateReceipts: true, validityPeriod: 'absolute' }, {}, clock);
    await carrier.submit(createSms('Hello', { validUntil: new Date('2027-01-16T13:14:15Z') }), neverAborted);
    expect(smsc.submits[0]).toMatchObject({
      serviceType: 'CMT',
      source: { ton: 0, npi: 8 },
      destination: { ton: 2, npi: 0 },
      registeredDelivery: 0x11,
      validityPeriod: '270116131415000+',
    });
  });

  it('a submit_sm carries the remaining validity at the time of sending', async () => {
    const clock = new ManualClock('2027-01-15T12:00:00Z');
    await connect({}, {}, clock);
    await carrier.submit(createSms('Hello', { validUntil: new Date('2027-01-17T13:14:15Z') }), neverAborted);
    expect(smsc.submits[0]?.validityPeriod).toBe('000002011415000R');
  });

  it.each(['Бренд', 'a sender of twenty-one', 'Shop\u0100'])(
    'a submit_sm is refused if source_addr cannot hold the sender %s',
    async (from) => {
      await connect();
      await expect(carrier.submit(createSms('Hello', { from }), neverAborted)).rejects.toMatchObject({
        code: 'INVALID_SENDER',
        retryable: false,
      });
      expect(smsc.submits).toHaveLength(0);
    },
  );
});

describe('binds', () => {
  it.each([
    ['transceiver', ['bind_transceiver']],
    ['transmitter', ['bind_transmitter']],
    ['receiver', ['bind_receiver']],
    ['transmitter-and-receiver', ['bind_receiver', 'bind_transmitter']],
  ] as const)('an SMPP bind connects as %s', async (bindType, commands) => {
    smsc = await Smsc.start();
    const settings = { bindType, systemType: 'VMA', addressRange: '^1', addressTon: 1, addressNpi: 1 };
    carrier = openSmppCarrier(createSmppSettings(smsc.port, { ...settings, binds: 2 }));
    await carrier.start(new RecordingSinks());
    await waitFor('the binds', () => smsc.binds.length === 2 * commands.length);
    expect([...new Set(smsc.binds.map(({ command }) => command))].sort()).toEqual(commands);
    for (const bind of smsc.binds) {
      expect(bind).toMatchObject({
        interface_version: 0x34,
        system_type: 'VMA',
        address_range: '^1',
        addr_ton: 1,
        addr_npi: 1,
      });
    }
    if (bindType === 'receiver') {
      expect(carrier.state().up).toBe(false);
      await expect(carrier.submit(createSms('Hello'), neverAborted)).rejects.toMatchObject({ notTried: true });
    } else {
      await carrier.submit(createSms('Hello'), neverAborted);
      const [submit] = smsc.submits;
      expect(submit).toBeDefined();
    }
  });

  it('an SMPP bind uses TLS and verifies the certificate', async () => {
    await connect({ tls: true, tlsCa: CERTIFICATE }, { tls: { key: KEY, cert: CERTIFICATE } });
    await carrier.submit(createSms('Hello'), neverAborted);
    expect(smsc.submits).toHaveLength(1);
  });

  it('an SMPP bind rejects a certificate of an unknown authority', async () => {
    smsc = await Smsc.start({ tls: { key: KEY, cert: CERTIFICATE } });
    carrier = openSmppCarrier(createSmppSettings(smsc.port, { tls: true }));
    await carrier.start(new RecordingSinks());
    await waitFor('the reason', () => carrier.state().reason?.includes('SELF_SIGNED'));
    expect(smsc.binds).toHaveLength(0);
  });

  it("an SMPP bind shares the load with the carrier's other binds", async () => {
    await connect({ binds: 2, window: 1 });
    smsc.treat = () => ({ answer: 'never' });
    await waitFor('both binds', () => smsc.binds.length === 2);
    const lostSubmissions = [
      carrier.submit(createSms('1'), neverAborted),
      carrier.submit(createSms('2'), neverAborted),
    ];
    await waitFor('both submits', () => smsc.submits.length === 2);
    expect(new Set(smsc.submits.map(({ session }) => session)).size).toBe(2);
    smsc.dropConnections();
    for (const submission of lostSubmissions) await expect(submission).rejects.toMatchObject({ answerLost: true });
  });
});

describe('window', () => {
  it('the SMPP window is filled, but never exceeded', async () => {
    await connect({ window: 3 });
    let mostPending = 0;
    smsc.treat = () => ({ answer: 'never' });
    const submissions = Array.from({ length: 8 }, () => carrier.submit(createSms('Hello'), neverAborted));
    for (let answeredCount = 0; answeredCount < 8; answeredCount++) {
      const expected = Math.min(8, answeredCount + 3);
      await waitFor('the window to fill', () => smsc.submits.length >= expected);
      mostPending = Math.max(mostPending, smsc.submits.length - answeredCount);
      const submit = smsc.submits[answeredCount];
      submit?.session.send(buildResponse(submit.sequence, `id-${answeredCount}`));
    }
    expect(mostPending).toBe(3);
    const ids = (await Promise.all(submissions)).map(({ carrierMessageId }) => carrierMessageId);
    expect(ids).toEqual(Array.from({ length: 8 }, (_, index) => `id-${index}`));
  });

  it('a submit waiting for the SMPP window is dropped when its signal fires', async () => {
    await connect({ window: 1 });
    smsc.treat = () => ({ answer: 'never' });
    const firstSubmission = carrier.submit(createSms('first'), neverAborted);
    const abort = new AbortController();
    const secondSubmission = carrier.submit(createSms('second'), abort.signal);
    await waitFor('the first submit', () => smsc.submits.length === 1);
    abort.abort();
    await expect(secondSubmission).rejects.toMatchObject({ code: 'NOT_SUBMITTED', retryable: true, answerLost: false });
    const [submit] = smsc.submits;
    submit?.session.send(buildResponse(submit.sequence, 'one'));
    await expect(firstSubmission).resolves.toEqual({ carrierMessageId: 'one' });
    expect(smsc.submits).toHaveLength(1);
  });
});

describe('send rate', () => {
  it('the SMPP send rate is not exceeded in any second', async () => {
    await connect({ ratePerSecond: 50, window: 100 });
    const loopDelay = monitorEventLoopDelay({ resolution: 5 });
    loopDelay.enable();
    const times: number[] = [];
    smsc.treat = () => {
      times.push(performance.now());
      return {};
    };
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 75 }, () => carrier.submit(createSms('Hello'), neverAborted)));
    loopDelay.disable();
    expect(times).toHaveLength(75);
    for (const [index, time] of times.entries()) expect(time - startedAt).toBeGreaterThan(index * 20 - 30);
    expect(carrier.ratePerSecond).toBe(50);
    // A blocked event loop can delay a submit in its timer, on writing and on reading, so several submits may arrive together.
    const toleranceMs = (3 * loopDelay.max) / 1e6;
    for (const start of times) {
      const inSecond = times.filter((time) => time >= start && time < start + 990).length;
      expect(inSecond).toBeLessThan(53 + toleranceMs / 20);
    }
  });
});

describe('refusals', () => {
  it.each([
    [0x58, 'ESME_RTHROTTLED'],
    [0x14, 'ESME_RMSGQFUL'],
    [0x08, 'ESME_RSYSERR'],
    [0x64, 'ESME_RX_T_APPN'],
  ])('a refusal by the SMSC with status 0x%s is retryable', async (status, code) => {
    expect(await captureRefusal({ status })).toMatchObject({
      code,
      retryable: true,
      answerLost: false,
      notTried: false,
    });
  });

  it.each([
    [0x0b, 'ESME_RINVDSTADR'],
    [0x0a, 'ESME_RINVSRCADR'],
    [0x45, 'ESME_RSUBMITFAIL'],
    [0x411, '0x00000411'],
  ])('a refusal by the SMSC with status 0x%s is final', async (status, code) => {
    expect(await captureRefusal({ status })).toMatchObject({ code, retryable: false, answerLost: false });
  });

  it('a refusal by the SMSC is retryable if retryStatuses contains its status', async () => {
    expect(await captureRefusal({ status: 0x411 }, { retryStatuses: '0x45,0x411' })).toMatchObject({ retryable: true });
  });

  it('a refusal by the SMSC by throttling pauses the bind until submits succeed again', async () => {
    await connect();
    smsc.treat = (_, index) => (index === 0 ? { status: 0x58 } : {});
    const timeBefore = performance.now();
    const submission = carrier.submit(createSms('1'), neverAborted);
    const state = submission.then(
      () => null,
      () => carrier.state(),
    );
    await expect(submission).rejects.toMatchObject({ code: 'ESME_RTHROTTLED' });
    expect(await state).toMatchObject({ up: false, reason: 'the SMSC is throttling', until: expect.any(Date) });
    await carrier.submit(createSms('2'), neverAborted);
    expect(performance.now() - timeBefore).toBeGreaterThan(240);
    expect(carrier.state().up).toBe(true);
  });
});

describe('multipart messages', () => {
  it('a multipart SMPP message does not repeat accepted parts on a retry', async () => {
    await connect();
    smsc.treat = (_, index) => (index === 1 ? { status: 0x58 } : {});
    const message = createSms('x'.repeat(400));
    const error = (await carrier.submit(message, neverAborted).catch((cause: unknown) => cause)) as CarrierError;
    const acceptedParts = [{ part: 1, carrierMessageId: '1' }];
    expect(error).toMatchObject({ code: 'ESME_RTHROTTLED', retryable: true, acceptedParts });
    expect(smsc.submits).toHaveLength(2);

    const { carrierMessageId, parts } = await carrier.submit({ ...message, attempt: 2, acceptedParts }, neverAborted);
    expect(carrierMessageId).toBe('1');
    expect(parts).toEqual([...acceptedParts, { part: 2, carrierMessageId: '2' }, { part: 3, carrierMessageId: '3' }]);
    expect(smsc.submits.map(({ octets }) => octets[5])).toEqual([1, 2, 2, 3]);
    expect(new Set(smsc.submits.map(({ octets }) => octets[3])).size).toBe(1);
  });

  it('a multipart SMPP message stops at the first part that is refused permanently', async () => {
    await connect();
    smsc.treat = (_, index) => (index === 1 ? { status: 0x0b } : {});
    await expect(carrier.submit(createSms('x'.repeat(400)), neverAborted)).rejects.toMatchObject({
      retryable: false,
      acceptedParts: [{ part: 1, carrierMessageId: '1' }],
    });
    expect(smsc.submits).toHaveLength(2);
  });
});

describe('response message IDs', () => {
  it('the message ID in a submit_sm_resp is converted from hexadecimal to decimal', async () => {
    await connect({ responseIdFormat: 'hex', receiptIdFormat: 'decimal' });
    smsc.treat = () => ({ id: '0000DEADBEEF01' });
    await expect(carrier.submit(createSms('Hello'), neverAborted)).resolves.toEqual({
      carrierMessageId: String(0xdeadbeef01),
    });
  });

  it('the message ID in a submit_sm_resp is replaced by a generated ID if the SMSC returns none', async () => {
    await connect();
    smsc.treat = () => ({ id: '' });
    const message = createSms('Hello');
    await expect(carrier.submit(message, neverAborted)).resolves.toEqual({ carrierMessageId: `none-${message.id}-1` });
  });
});
