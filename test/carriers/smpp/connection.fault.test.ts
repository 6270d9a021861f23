import { afterEach, describe, expect, it } from 'vitest';
import type { SmppSettings } from '../../../src/carriers/smpp/settings.js';
import type { SmppCarrier } from '../../../src/carriers/smpp/smpp-carrier.js';
import { writePdu } from '../../../src/carriers/smpp/wire/pdu.js';
import { waitFor } from '../../support/wait-for.js';
import { createSmppSettings, createSms, neverAborted, openSmppCarrier, RecordingSinks } from './setup.js';
import { buildReceipt, buildResponse, Smsc, type SmscOptions } from './smsc.js';

let smsc: Smsc;
let carrier: SmppCarrier;
let sinks: RecordingSinks;

async function connect(settings: Partial<SmppSettings> = {}, options: SmscOptions = {}) {
  smsc = await Smsc.start(options);
  carrier = openSmppCarrier(createSmppSettings(smsc.port, settings));
  sinks = new RecordingSinks();
  await carrier.start(sinks);
  await waitFor('the bind', () => carrier.state().up);
}

async function expectRecovery() {
  await waitFor('the next bind', () => smsc.binds.length >= 2 && carrier.state().up);
  smsc.treat = () => ({ receipts: [buildReceipt()] });
  const { carrierMessageId } = await carrier.submit(createSms('after'), neverAborted);
  await waitFor('the receipt', () =>
    sinks.storedReceipts.some((receipt) => receipt.carrierMessageId === carrierMessageId),
  );
}

afterEach(async () => {
  await carrier.close(AbortSignal.timeout(1_000));
  await smsc.kill();
});

describe('SMSC connection', () => {
  it('the SMSC connection loses only outstanding responses when the SMSC is killed, and reconnects', async () => {
    await connect({ window: 2 });
    smsc.treat = () => ({ answer: 'never' });
    const submissions = Array.from({ length: 4 }, (_, index) =>
      carrier.submit(createSms(`message ${index}`), neverAborted).catch((error: unknown) => error),
    );
    await waitFor('the window to fill', () => smsc.submits.length === 2);
    expect(carrier.window()).toEqual({ size: 2, inUse: 2 });
    await smsc.kill();
    const errors = await Promise.all(submissions);
    expect(errors.slice(0, 2)).toMatchObject(
      [1, 2].map(() => ({ code: 'ANSWER_LOST', retryable: true, answerLost: true })),
    );
    expect(errors.slice(2)).toMatchObject(
      [3, 4].map(() => ({ code: 'SMSC_DOWN', retryable: true, answerLost: false, notTried: true })),
    );
    expect(carrier.state()).toMatchObject({ up: false, reason: expect.any(String), until: expect.any(Date) });
    await waitFor('the error', () => carrier.connections()[0]?.lastError);
    expect(carrier.connections()).toMatchObject([
      { name: 'transceiver 1', isUp: false, lastError: expect.any(String), lastErrorAt: expect.any(Date) },
    ]);
    expect(carrier.window()).toEqual({ size: 0, inUse: 0 });
    const downSince = carrier.connections()[0]?.since as Date;
    await smsc.listen();
    await expectRecovery();
    const [reconnected] = carrier.connections();
    expect(reconnected).toMatchObject({ isUp: true, sends: true, lastError: expect.any(String) });
    expect(reconnected?.since.getTime()).toBeGreaterThanOrEqual(downSince.getTime());
  });

  it('the SMSC connection is established once the SMSC starts after the carrier', async () => {
    smsc = await Smsc.start();
    await smsc.kill();
    carrier = openSmppCarrier(createSmppSettings(smsc.port));
    sinks = new RecordingSinks();
    await carrier.start(sinks);
    await waitFor('the reason', () => carrier.state().reason?.includes('ECONNREFUSED'));
    await expect(carrier.submit(createSms('Hello'), neverAborted)).rejects.toMatchObject({ notTried: true });
    await smsc.listen();
    await waitFor('the bind', () => carrier.state().up);
    await carrier.submit(createSms('Hello'), neverAborted);
  });

  it.each([
    ['a length of 0', Buffer.alloc(16)],
    ['a length of 3', Buffer.from([0, 0, 0, 3, 1, 2, 3])],
    ['a length of 4 GiB', Buffer.alloc(16, 0xff)],
    ['text', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('the SMSC connection is replaced after the SMSC sends garbage: %s', async (_, octets) => {
    await connect();
    smsc.treat = () => ({ answer: 'never' });
    const rejection = carrier.submit(createSms('Hello'), neverAborted).catch((error: unknown) => error);
    await waitFor('the submit', () => smsc.submits.length === 1);
    smsc.sendRaw(octets);
    expect(await rejection).toMatchObject({ answerLost: true });
    await expectRecovery();
  });

  it('the SMSC connection is replaced after it is cut in the middle of a PDU', async () => {
    await connect();
    smsc.treat = () => ({ answer: 'never' });
    const rejection = carrier.submit(createSms('Hello'), neverAborted).catch((error: unknown) => error);
    await waitFor('the submit', () => smsc.submits.length === 1);
    smsc.sendRaw(Buffer.from([0, 0, 0, 30, 0x80, 0, 0, 4, 0, 0, 0, 0]));
    smsc.dropConnections();
    expect(await rejection).toMatchObject({ answerLost: true });
    await expectRecovery();
  });

  it('the SMSC connection is replaced after a generic_nack that matches no request', async () => {
    await connect();
    smsc.sendRaw(Buffer.from([0, 0, 0, 16, 0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0]));
    await expectRecovery();
  });

  it('the SMSC connection accepts a late response to a submit, so that the message is not sent again', async () => {
    await connect({ responseTimeoutSeconds: 1, window: 1 });
    smsc.treat = (_, index) => (index === 0 ? { answer: 'never' } : {});
    const slowSubmission = carrier.submit(createSms('slow'), neverAborted);
    await waitFor('an enquire_link', () => smsc.commands.get('enquire_link'));
    expect(carrier.window()).toEqual({ size: 1, inUse: 1 });
    const [session] = smsc.bound;
    session?.send(buildResponse(smsc.submits[0]?.sequence as number, 'late-1'));
    await expect(slowSubmission).resolves.toEqual({ carrierMessageId: 'late-1' });
    await carrier.submit(createSms('next'), neverAborted);
    expect([smsc.submits.length, smsc.binds.length]).toEqual([2, 1]);
  });

  it('the SMSC connection stays up and loses only the submit that the SMSC never answers', async () => {
    await connect({ responseTimeoutSeconds: 1 });
    smsc.treat = (_, index) => (index === 0 ? { answer: 'never' } : {});
    const lostSubmission = carrier.submit(createSms('lost'), neverAborted);
    await carrier.submit(createSms('taken'), neverAborted);
    await expect(lostSubmission).rejects.toMatchObject({ code: 'ANSWER_LOST', retryable: true, answerLost: true });
    expect(smsc.binds).toHaveLength(1);
    await waitFor('an enquire_link', () => smsc.commands.get('enquire_link'));
    expect(carrier.state().up).toBe(true);
  });

  it.each([
    ['generic_nack', 0x80000000],
    ['the response of another request', 0x80000015],
  ])('the SMSC connection treats %s with status 0 as no response to a submit', async (_, commandId) => {
    await connect();
    smsc.treat = () => ({ answer: 'never' });
    const rejection = carrier.submit(createSms('Hello'), neverAborted).catch((error: unknown) => error);
    await waitFor('the submit', () => smsc.submits.length === 1);
    const { sequence } = smsc.submits[0] as { sequence: number };
    smsc.sendRaw(writePdu({ commandId, status: 0, sequence, body: Buffer.alloc(0) }));
    expect(await rejection).toMatchObject({ code: 'ANSWER_LOST', retryable: true, answerLost: true });
    expect(carrier.state().up).toBe(true);
    expect(smsc.binds).toHaveLength(1);
  });

  it('the SMSC connection is replaced when the SMSC stops responding', async () => {
    await connect({ responseTimeoutSeconds: 2 });
    smsc.options.mute = ['enquire_link', 'submit_sm'];
    await expect(carrier.submit(createSms('lost'), neverAborted)).rejects.toMatchObject({ answerLost: true });
    await waitFor('the next bind', () => smsc.binds.length === 2);
    smsc.options.mute = [];
    await expectRecovery();
  });

  it('the SMSC connection is tested with enquire_link while idle, and replaced if that is not answered', async () => {
    await connect({ enquireLinkSeconds: 0.1, responseTimeoutSeconds: 2 });
    await waitFor('two enquire_links', () => (smsc.commands.get('enquire_link') ?? 0) >= 2);
    expect(smsc.binds).toHaveLength(1);
    smsc.options.mute = ['enquire_link'];
    await waitFor('the next bind', () => smsc.binds.length >= 2);
  });

  it('the SMSC connection is replaced when the SMSC reports an incorrect bind status', async () => {
    await connect();
    smsc.treat = () => ({ status: 0x04 });
    await expect(carrier.submit(createSms('Hello'), neverAborted)).rejects.toMatchObject({
      code: 'ESME_RINVBNDSTS',
      retryable: true,
    });
    await expectRecovery();
  });

  it('the SMSC connection is retried with growing delays while the SMSC refuses the bind', async () => {
    smsc = await Smsc.start({ password: 'another' });
    carrier = openSmppCarrier(createSmppSettings(smsc.port));
    sinks = new RecordingSinks();
    await carrier.start(sinks);
    await waitFor('a few binds', () => (smsc.commands.get('bind_transceiver') ?? 0) >= 4);
    expect(carrier.state()).toMatchObject({ up: false, reason: 'the SMSC refused the bind with ESME_RINVPASWD' });
    smsc.options.password = 'secret';
    await waitFor('the bind', () => carrier.state().up);
  });

  it('the SMSC connection delivers each message exactly once when every second submit is throttled', async () => {
    await connect();
    smsc.treat = (_, index) => (index % 2 === 1 ? { status: 0x58 } : {});
    const texts = Array.from({ length: 12 }, (_, index) => `message ${index}`);
    await Promise.all(
      texts.map(async (text) => {
        const message = createSms(text);
        for (;;) {
          const error = await carrier.submit(message, neverAborted).then(
            () => null,
            (cause: { retryable: boolean }) => cause,
          );
          if (!error) return;
          expect(error.retryable).toBe(true);
        }
      }),
    );
    const acceptedTexts = smsc.submits.filter(({ id }) => id !== '').map(({ octets }) => octets.toString());
    expect(acceptedTexts.sort()).toEqual(texts.sort());
    expect(smsc.binds).toHaveLength(1);
  });
});

describe('multipart messages', () => {
  it('a three-part message retries only the part whose response was lost and the parts after it', async () => {
    await connect();
    smsc.treat = (_, index) => (index === 1 ? { drop: true } : {});
    const message = createSms('x'.repeat(400));
    const error = (await carrier.submit(message, neverAborted).catch((cause: unknown) => cause)) as {
      acceptedParts: { part: number; carrierMessageId: string }[];
    };
    expect(error).toMatchObject({ answerLost: true, acceptedParts: [{ part: 1 }] });
    await waitFor('the next bind', () => smsc.binds.length === 2 && carrier.state().up);
    await carrier.submit({ ...message, attempt: 2, acceptedParts: error.acceptedParts }, neverAborted);
    expect(smsc.submits.map(({ octets }) => octets[5])).toEqual([1, 2, 2, 3]);
  });

  it('a three-part message continues part by part if multipart was changed to payload halfway', async () => {
    await connect({ multipart: 'payload' });
    const acceptedParts = [{ part: 1, carrierMessageId: 'one' }];
    const submission = await carrier.submit({ ...createSms('x'.repeat(400)), attempt: 2, acceptedParts }, neverAborted);
    expect(submission).toMatchObject({ carrierMessageId: 'one', parts: [{ part: 1 }, { part: 2 }, { part: 3 }] });
    expect(smsc.submits.map(({ octets }) => octets[5])).toEqual([2, 3]);
  });
});

describe('closing', () => {
  it('closing an SMPP carrier waits for responses, answers deliveries, and unbinds', async () => {
    await connect();
    smsc.treat = () => ({ answer: 'receipt-first', receipts: [buildReceipt()] });
    const submission = carrier.submit(createSms('Hello'), neverAborted);
    await waitFor('the submit', () => smsc.submits.length === 1);
    await carrier.close(AbortSignal.timeout(5_000));
    await expect(submission).resolves.toEqual({ carrierMessageId: '1' });
    expect(sinks.storedReceipts).toHaveLength(1);
    expect(smsc.commands.get('unbind')).toBe(1);
    await expect(carrier.submit(createSms('late'), neverAborted)).rejects.toMatchObject({ code: 'NOT_SUBMITTED' });
  });

  it('closing an SMPP carrier stops waiting when its signal fires', async () => {
    await connect();
    smsc.treat = () => ({ answer: 'never' });
    const rejection = carrier.submit(createSms('Hello'), neverAborted).catch((error: unknown) => error);
    await waitFor('the submit', () => smsc.submits.length === 1);
    await carrier.close(AbortSignal.timeout(50));
    expect(await rejection).toMatchObject({ answerLost: true });
    await waitFor('the connection to end', () => smsc.sessions.size === 0);
  });

  it('closing an SMPP carrier ends a connection attempt', async () => {
    smsc = await Smsc.start({ mute: ['bind_transceiver'] });
    carrier = openSmppCarrier(createSmppSettings(smsc.port));
    await carrier.start(new RecordingSinks());
    await waitFor('the connection', () => smsc.sessions.size === 1);
    await carrier.close(AbortSignal.timeout(5_000));
    await waitFor('the connection to end', () => smsc.sessions.size === 0);
  });
});
