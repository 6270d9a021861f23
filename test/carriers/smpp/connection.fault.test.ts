import { afterEach, describe, expect, it } from 'vitest';
import type { SmppSettings } from '../../../src/carriers/smpp/settings.js';
import type { SmppCarrier } from '../../../src/carriers/smpp/smpp-carrier.js';
import { writePdu } from '../../../src/carriers/smpp/wire/pdu.js';
import { waitFor } from '../../support/wait-for.js';
import { Kept, never, smppCarrier, smppSettings, sms } from './setup.js';
import { receipt, response, Smsc, type SmscOptions } from './smsc.js';

let smsc: Smsc;
let carrier: SmppCarrier;
let kept: Kept;

async function connect(settings: Partial<SmppSettings> = {}, options: SmscOptions = {}) {
  smsc = await Smsc.start(options);
  carrier = smppCarrier(smppSettings(smsc.port, settings));
  kept = new Kept();
  await carrier.start(kept);
  await waitFor('the bind', () => carrier.state().up);
}

/** The carrier works again, on a connection that is not the first. */
async function expectRecovery() {
  await waitFor('the next bind', () => smsc.binds.length >= 2 && carrier.state().up);
  smsc.treat = () => ({ receipts: [receipt()] });
  const { carrierMessageId } = await carrier.submit(sms('after'), never);
  await waitFor('the receipt', () => kept.receiptsTaken.some((taken) => taken.carrierMessageId === carrierMessageId));
}

afterEach(async () => {
  await carrier.close(AbortSignal.timeout(1_000));
  await smsc.kill();
});

describe('an SMSC', () => {
  it('that is killed loses the answers under way, and only those, and is found again', async () => {
    await connect({ window: 2 });
    smsc.treat = () => ({ answer: 'never' });
    const submissions = Array.from({ length: 4 }, (_, index) =>
      carrier.submit(sms(`message ${index}`), never).catch((error: unknown) => error),
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
    const fellAt = carrier.connections()[0]?.since as Date;
    await smsc.listen();
    await expectRecovery();
    const [again] = carrier.connections();
    expect(again).toMatchObject({ isUp: true, sends: true, lastError: expect.any(String) });
    expect(again?.since.getTime()).toBeGreaterThanOrEqual(fellAt.getTime());
  });

  it('that is not there at the start is found when it comes', async () => {
    smsc = await Smsc.start();
    await smsc.kill();
    carrier = smppCarrier(smppSettings(smsc.port));
    kept = new Kept();
    await carrier.start(kept);
    await waitFor('the reason', () => carrier.state().reason?.includes('ECONNREFUSED'));
    await expect(carrier.submit(sms('Hello'), never)).rejects.toMatchObject({ notTried: true });
    await smsc.listen();
    await waitFor('the bind', () => carrier.state().up);
    await carrier.submit(sms('Hello'), never);
  });

  it.each([
    ['a length of 0', Buffer.alloc(16)],
    ['a length of 3', Buffer.from([0, 0, 0, 3, 1, 2, 3])],
    ['a length of 4 GiB', Buffer.alloc(16, 0xff)],
    ['text', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('that sends garbage is left and bound to again: %s', async (_, octets) => {
    await connect();
    smsc.treat = () => ({ answer: 'never' });
    const lost = carrier.submit(sms('Hello'), never).catch((error: unknown) => error);
    await waitFor('the submit', () => smsc.submits.length === 1);
    smsc.sendRaw(octets);
    expect(await lost).toMatchObject({ answerLost: true });
    await expectRecovery();
  });

  it('whose connection is cut in the middle of a PDU is bound to again', async () => {
    await connect();
    smsc.treat = () => ({ answer: 'never' });
    const lost = carrier.submit(sms('Hello'), never).catch((error: unknown) => error);
    await waitFor('the submit', () => smsc.submits.length === 1);
    smsc.sendRaw(Buffer.from([0, 0, 0, 30, 0x80, 0, 0, 4, 0, 0, 0, 0]));
    smsc.dropConnections();
    expect(await lost).toMatchObject({ answerLost: true });
    await expectRecovery();
  });

  it('that refuses a PDU which it cannot name is bound to again', async () => {
    await connect();
    smsc.sendRaw(Buffer.from([0, 0, 0, 16, 0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0]));
    await expectRecovery();
  });

  it('that answers a submit late has taken it, and it is not sent again', async () => {
    await connect({ responseTimeoutSeconds: 1, window: 1 });
    smsc.treat = (_, index) => (index === 0 ? { answer: 'never' } : {});
    const slow = carrier.submit(sms('slow'), never);
    await waitFor('a sign of life to be asked for', () => smsc.commands.get('enquire_link'));
    expect(carrier.window()).toEqual({ size: 1, inUse: 1 });
    const [session] = smsc.bound;
    session?.send(response(smsc.submits[0]?.sequence as number, 'late-1'));
    await expect(slow).resolves.toEqual({ carrierMessageId: 'late-1' });
    await carrier.submit(sms('next'), never);
    expect([smsc.submits.length, smsc.binds.length]).toEqual([2, 1]);
  });

  it('that never answers one submit loses that alone', async () => {
    await connect({ responseTimeoutSeconds: 1 });
    smsc.treat = (_, index) => (index === 0 ? { answer: 'never' } : {});
    const lost = carrier.submit(sms('lost'), never);
    await carrier.submit(sms('taken'), never);
    await expect(lost).rejects.toMatchObject({ code: 'ANSWER_LOST', retryable: true, answerLost: true });
    expect(smsc.binds).toHaveLength(1);
    await waitFor('a sign of life to be asked for', () => smsc.commands.get('enquire_link'));
    expect(carrier.state().up).toBe(true);
  });

  it.each([
    ['generic_nack', 0x80000000],
    ['the response of another request', 0x80000015],
  ])('that answers a submit with %s of status 0 has not said that it took it', async (_, commandId) => {
    await connect();
    smsc.treat = () => ({ answer: 'never' });
    const lost = carrier.submit(sms('Hello'), never).catch((error: unknown) => error);
    await waitFor('the submit', () => smsc.submits.length === 1);
    const { sequence } = smsc.submits[0] as { sequence: number };
    smsc.sendRaw(writePdu({ commandId, status: 0, sequence, body: Buffer.alloc(0) }));
    expect(await lost).toMatchObject({ code: 'ANSWER_LOST', retryable: true, answerLost: true });
    expect(carrier.state().up).toBe(true);
    expect(smsc.binds).toHaveLength(1);
  });

  it('that says nothing any more is left and bound to again', async () => {
    await connect({ responseTimeoutSeconds: 2 });
    smsc.options.mute = ['enquire_link', 'submit_sm'];
    await expect(carrier.submit(sms('lost'), never)).rejects.toMatchObject({ answerLost: true });
    await waitFor('the next bind', () => smsc.binds.length === 2);
    smsc.options.mute = [];
    await expectRecovery();
  });

  it('is asked for a sign of life while nothing else happens, and left when it gives none', async () => {
    await connect({ enquireLinkSeconds: 0.1, responseTimeoutSeconds: 2 });
    await waitFor('two signs of life', () => (smsc.commands.get('enquire_link') ?? 0) >= 2);
    expect(smsc.binds).toHaveLength(1);
    smsc.options.mute = ['enquire_link'];
    await waitFor('the next bind', () => smsc.binds.length >= 2);
  });

  it('that does not take the connection for bound is bound to again', async () => {
    await connect();
    smsc.treat = () => ({ status: 0x04 });
    await expect(carrier.submit(sms('Hello'), never)).rejects.toMatchObject({
      code: 'ESME_RINVBNDSTS',
      retryable: true,
    });
    await expectRecovery();
  });

  it('that refuses the bind is tried again and again, with pauses that grow', async () => {
    smsc = await Smsc.start({ password: 'another' });
    carrier = smppCarrier(smppSettings(smsc.port));
    kept = new Kept();
    await carrier.start(kept);
    await waitFor('a few binds', () => (smsc.commands.get('bind_transceiver') ?? 0) >= 4);
    expect(carrier.state()).toMatchObject({ up: false, reason: 'the SMSC refused the bind with ESME_RINVPASWD' });
    smsc.options.password = 'secret';
    await waitFor('the bind', () => carrier.state().up);
  });

  it('that throttles every second submit gets every message, each once', async () => {
    await connect();
    smsc.treat = (_, index) => (index % 2 === 1 ? { status: 0x58 } : {});
    const texts = Array.from({ length: 12 }, (_, index) => `message ${index}`);
    await Promise.all(
      texts.map(async (text) => {
        const message = sms(text);
        // As the sender does: again and again, until the SMSC takes it.
        for (;;) {
          const error = await carrier.submit(message, never).then(
            () => null,
            (cause: { retryable: boolean }) => cause,
          );
          if (!error) return;
          expect(error.retryable).toBe(true);
        }
      }),
    );
    const taken = smsc.submits.filter(({ id }) => id !== '').map(({ octets }) => octets.toString());
    expect(taken.sort()).toEqual(texts.sort());
    expect(smsc.binds).toHaveLength(1);
  });
});

describe('a message of three parts', () => {
  it('is sent again only in the part whose answer was lost, and in those that had not left', async () => {
    await connect();
    smsc.treat = (_, index) => (index === 1 ? { drop: true } : {});
    const message = sms('x'.repeat(400));
    const error = (await carrier.submit(message, never).catch((cause: unknown) => cause)) as {
      acceptedParts: { part: number; carrierMessageId: string }[];
    };
    expect(error).toMatchObject({ answerLost: true, acceptedParts: [{ part: 1 }] });
    await waitFor('the next bind', () => smsc.binds.length === 2 && carrier.state().up);
    await carrier.submit({ ...message, attempt: 2, acceptedParts: error.acceptedParts }, never);
    expect(smsc.submits.map(({ octets }) => octets[5])).toEqual([1, 2, 2, 3]);
  });

  it('goes on in its parts where the whole was to go out as message_payload meanwhile', async () => {
    await connect({ multipart: 'payload' });
    const acceptedParts = [{ part: 1, carrierMessageId: 'one' }];
    const submission = await carrier.submit({ ...sms('x'.repeat(400)), attempt: 2, acceptedParts }, never);
    expect(submission).toMatchObject({ carrierMessageId: 'one', parts: [{ part: 1 }, { part: 2 }, { part: 3 }] });
    expect(smsc.submits.map(({ octets }) => octets[5])).toEqual([2, 3]);
  });
});

describe('closing', () => {
  it('waits for responses, answers what was delivered, and unbinds', async () => {
    await connect();
    smsc.treat = () => ({ answer: 'receipt-first', receipts: [receipt()] });
    const submission = carrier.submit(sms('Hello'), never);
    await waitFor('the submit', () => smsc.submits.length === 1);
    await carrier.close(AbortSignal.timeout(5_000));
    await expect(submission).resolves.toEqual({ carrierMessageId: '1' });
    expect(kept.receiptsTaken).toHaveLength(1);
    expect(smsc.commands.get('unbind')).toBe(1);
    await expect(carrier.submit(sms('late'), never)).rejects.toMatchObject({ code: 'NOT_SUBMITTED' });
  });

  it('does not wait longer than it may', async () => {
    await connect();
    smsc.treat = () => ({ answer: 'never' });
    const lost = carrier.submit(sms('Hello'), never).catch((error: unknown) => error);
    await waitFor('the submit', () => smsc.submits.length === 1);
    await carrier.close(AbortSignal.timeout(50));
    expect(await lost).toMatchObject({ answerLost: true });
    await waitFor('the connection to end', () => smsc.sessions.size === 0);
  });

  it('ends while it tries to connect', async () => {
    smsc = await Smsc.start({ mute: ['bind_transceiver'] });
    carrier = smppCarrier(smppSettings(smsc.port));
    await carrier.start(new Kept());
    await waitFor('the connection', () => smsc.sessions.size === 1);
    await carrier.close(AbortSignal.timeout(5_000));
    await waitFor('the connection to end', () => smsc.sessions.size === 0);
  });
});
