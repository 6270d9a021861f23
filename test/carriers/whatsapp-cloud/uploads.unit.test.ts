import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CarrierError } from '../../../src/carriers/carrier-error.js';
import type { MediaSource } from '../../../src/carriers/media/carrier-media.js';
import type { WhatsappCloud } from '../../../src/carriers/whatsapp-cloud/whatsapp-cloud.js';
import { newId } from '../../../src/platform/ids.js';
import { CloudApi } from '../../support/carriers/cloud-api/cloud-api.js';
import { MetaRefusal } from '../../support/carriers/cloud-api/meta-error.js';
import { createTestDeparture, WITHHELD } from '../../support/carriers/departures.js';
import { closersForEachTest } from '../../support/for-suite.js';
import { waitFor } from '../../support/wait-for.js';
import {
  buildOutbound,
  CHANNEL_ID,
  createRecordingSinks,
  neverAborted,
  openCloudCarrier,
  PHONE_NUMBER_ID,
} from './carrier.js';

const UPLOAD = `POST ${PHONE_NUMBER_ID}/media`;
const closers = closersForEachTest();
let stub: CloudApi;
let carrier: WhatsappCloud;
let recordedSinks: ReturnType<typeof createRecordingSinks>;

let openedStreams: Readable[];

function createFile(size = 1_000): MediaSource {
  const openFile = async () => {
    const stream = Readable.from([Buffer.alloc(size / 2, 'a'), Buffer.alloc(size / 2, 'b')], { objectMode: false });
    openedStreams.push(stream);
    return stream;
  };
  return {
    find: async () => ({ mimeType: 'image/png', size, filename: null, open: openFile }),
    ensureCopy: async (_mediaId, _copyKey, upload) => ({ ...(await upload()), isNew: true }),
    forgetCopy: async () => undefined,
  };
}

beforeEach(async () => {
  openedStreams = [];
  stub = new CloudApi();
  await stub.start();
  closers.push(() => stub.stop());
  carrier = openCloudCarrier(stub);
  closers.push(() => carrier.close(AbortSignal.timeout(1_000)));
  recordedSinks = createRecordingSinks();
  await carrier.start({ ...recordedSinks.sinks, media: createFile() });
});

const createPicture = (to = '16505551234') => buildOutbound({ to, content: { type: 'image', mediaId: newId() } });
const captureRefusal = (message = createPicture()): Promise<CarrierError> =>
  carrier.submit(message, neverAborted).then(
    () => expect.unreachable('the message was accepted'),
    (error) => error,
  );

describe('refused uploads', () => {
  it.each([
    [10, {}, 'permission_missing'],
    [131031, { status: 403 }, 'account_restricted'],
    [133010, {}, 'number_not_registered'],
    [100, { subcode: 33 }, 'number_unknown'],
  ])('a media upload that Meta refuses pauses the channel with error %i %o', async (code, explanation, health) => {
    stub.media.fault = () => new MetaRefusal(code, 'No', explanation);
    const timeBefore = Date.now();
    expect(await captureRefusal()).toMatchObject({ code: String(code), retryable: true, channelPaused: true });
    const pause = { health: health, code: String(code), reason: `(#${code}) No`, at: expect.any(Date) };
    expect(recordedSinks.pauses).toEqual([[CHANNEL_ID, pause]]);
    expect(recordedSinks.pauses[0]?.[1].at.getTime()).toBeGreaterThanOrEqual(timeBefore);
    expect(await captureRefusal()).toMatchObject({ code: String(code), notTried: true, channelPaused: true });
    expect(stub.requests).toEqual([UPLOAD]);
  });

  it('a media upload that Meta refuses pauses all sending if Meta refuses the token', async () => {
    stub.media.fault = () => new MetaRefusal(190, 'Session has expired', { status: 401 });
    const error = await captureRefusal();
    expect(error).toMatchObject({ code: '190', retryable: true, answerLost: false });
    expect(error.pauseMs).toBeGreaterThan(1_000);
    expect(await captureRefusal(buildOutbound())).toMatchObject({ code: '190', notTried: true });
    expect(stub.requests).toEqual([UPLOAD]);
    await waitFor('the health', () => recordedSinks.health.length > 0);
    expect(recordedSinks.health).toEqual([[CHANNEL_ID, 'token_refused']]);
    expect(carrier.state()).toMatchObject({ up: false });
  });

  it.each([
    [130429, 'the number'],
    [4, 'all messages'],
    [80007, 'all messages'],
  ])('a media upload that Meta refuses with error %i delays %s as long as Meta asks', async (code) => {
    stub.media.fault = () => new MetaRefusal(code, 'Too much', { headers: { 'retry-after': '27' } });
    const firstError = await captureRefusal();
    expect(firstError).toMatchObject({ code: String(code), retryable: true });
    expect(firstError.pauseMs).toBeCloseTo(27_000, -2);
    expect(await captureRefusal(createPicture('16505550000'))).toMatchObject({ retryable: true, notTried: true });
    expect(stub.requests).toEqual([UPLOAD]);
  });

  it('a media upload that Meta refuses because of an internal error delays only its own message', async () => {
    stub.media.fault = () => new MetaRefusal(131000, 'No', { status: 500, headers: { 'retry-after': '9' } });
    expect(await captureRefusal()).toMatchObject({
      code: '131000',
      retryable: true,
      answerLost: false,
      pauseMs: 9_000,
    });
    stub.media.fault = () => null;
    await carrier.submit(createPicture(), neverAborted);
    expect(stub.accepted).toHaveLength(1);
  });
});

it('a message withheld during its upload is not sent', async () => {
  const departure = createTestDeparture();
  stub.media.fault = () => {
    departure.withhold();
    return null;
  };
  expect(await captureRefusal({ ...createPicture(), departure })).toMatchObject(WITHHELD);
  expect(stub.requests).toEqual([UPLOAD]);
});

describe('file streams', () => {
  it('the file stream of a media upload is closed after the upload', async () => {
    await carrier.submit(createPicture(), neverAborted);
    expect(openedStreams.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  it('the file stream of a media upload is closed if Meta is unreachable and nothing was read', async () => {
    await stub.stop();
    closers.push(() => stub.start());
    expect(await captureRefusal()).toMatchObject({ code: 'MEDIA_UPLOAD' });
    expect(openedStreams.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  it('the file stream of a media upload is closed if the worker stops before', async () => {
    await expect(carrier.submit(createPicture(), AbortSignal.abort())).rejects.toMatchObject({ code: 'NOT_SUBMITTED' });
    expect(openedStreams.map(({ destroyed }) => destroyed)).toEqual([true]);
  });
});
